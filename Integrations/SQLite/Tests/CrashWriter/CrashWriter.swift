import CrashStory
import Foundation
import LiveStore
import LiveStoreSQLite
import TestSupport

/// Tells the story into a file, and prints the number of each transaction that it was told is durable; goes on until it is
/// killed. Usage: `crash-writer FILE SEED`
@main
enum CrashWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(64) }
    var random = SplitMix64(seed: seed)
    let url = URL(fileURLWithPath: arguments[1])
    let file = try await StoreFile.open(at: url, Entry.self, Bookmark.self)
    var chapter = file.store.snapshot()[Bookmark.self, 0]?.chapter ?? 0
    say("open \(chapter)")
    while true {
      chapter += 1
      let number = chapter
      try await file.store.write { tx in try CrashStory.write(number, &tx) }
      // Some transactions share a pass.
      if random.chance(1, in: 3) { continue }
      try await file.durable(through: file.store.version)
      say("durable \(chapter)")
      switch random.int(0...60) {
      case 0: try await file.compact()
      case 1: try await file.backup(to: url.deletingLastPathComponent().appendingPathComponent("backup.db"))
      default: break
      }
    }
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
