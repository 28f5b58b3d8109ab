import ArgumentParser
import Foundation
import LiveStoreSQLite

struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the entities of a file, with their rows and properties, its version and its size.",
    discussion: "livestore-sqlite inspect posts.db")

  @OptionGroup var options: FileOptions

  func run() throws {
    func size(_ suffix: String) -> Int {
      (try? FileManager.default.attributesOfItem(atPath: options.url.path + suffix)[.size] as? Int) ?? 0
    }
    try options.open().read { file in
      print("size       \(size("")) bytes, and \(size("-wal")) in the log")
      print("version    \(file.version)")
      print("schema     \(file.schema)")
      print("encrypted  \(file.isEncrypted ? "yes" : "no")")
      for entity in file.entities {
        print("\n\(entity): \(file.count(entity)) rows")
        for property in file.properties(entity) { print("  \(property)") }
      }
    }
  }
}

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads all rows and lists what is damaged; the exit status is 1 if anything is.",
    discussion: "livestore-sqlite check posts.db")

  @OptionGroup var options: FileOptions

  func run() throws {
    var damage: [DamagedRow] = []
    var rows = 0
    do {
      try options.open().read { file in
        for entity in file.entities {
          damage += try file.damage(entity)
          rows += file.count(entity)
        }
      }
    } catch let error as StoreFileError where error.code == .damaged {
      print(error.message)
      throw ExitCode.failure
    }
    for row in damage { print(row) }
    if !damage.isEmpty { throw ExitCode.failure }
    print("\(rows) rows, none damaged")
  }
}
