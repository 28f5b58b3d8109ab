import CrashScenario
import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport

/// Writes the scenario into a file, and prints the number of each transaction that was acknowledged; goes on until it is
/// killed. Between, it compacts, makes backups and changes the key, whose number it prints before and after. It also prints
/// the version that each transaction made, acknowledged or not, and cursors of pages.
///
/// Usage: `crash-writer FILE SEED KEY REVISION`; the file is migrated to the revision.
@main
enum CrashWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let seed = UInt64(arguments[2]), var key = Int(arguments[3]),
      let revision = Int(arguments[4])
    else { exit(64) }
    var random = SplitMix64(seed: seed)
    let url = URL(fileURLWithPath: arguments[1])
    report("migrating")
    let file = try await StoreFile.open(
      at: url, Entry.self, Position.self,
      options: .init(key: CrashScenario.key(key), migrations: CrashMigrations.through(revision)))
    var step = file.store.snapshot()[Position.self, 0]?.step ?? 0
    report("open \(step)")
    report("version \(file.store.identity) \(file.store.version) \(step)")
    while true {
      step += 1
      let number = step
      try await file.store.write { tx in try CrashScenario.write(number, revision: revision, &tx) }
      report("version \(file.store.identity) \(file.store.version) \(step)")
      if random.chance(1, in: 4) {
        let page = try file.store.page(of: Entry.all, first: random.int(1...40))
        if let last = page.rows.last, let next = page.next {
          let text = try JSONEncoder().encode(next).base64EncodedString()
          report("cursor \(file.store.version) \(last.id) \(text) \(step)")
        }
      }
      // Some transactions share a sync.
      if random.chance(1, in: 3) { continue }
      if random.chance(1, in: 20) {
        // The transaction before is written meanwhile.
        key = random.int(0...CrashScenario.keyCount - 1)
        report("changing \(key)")
        try await file.changeKey(to: CrashScenario.key(key))
        report("key \(key)")
      }
      try await file.durable(through: file.store.version)
      report("durable \(step)")
      switch random.int(0...60) {
      case 0: try await file.compact()
      case 1...2:
        try await file.backup(to: url.deletingLastPathComponent().appendingPathComponent("backup.db"))
      default: break
      }
    }
  }

  private static func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
