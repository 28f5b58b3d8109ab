import CrashScenario
import Foundation
import LiveStore
import LiveStoreSQLite
import TestSupport

/// Writes the scenario into a file, and prints the number of each transaction that was acknowledged; goes on until it is
/// killed. Usage: `crash-writer FILE SEED`
@main
enum CrashWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { exit(64) }
    var random = SplitMix64(seed: seed)
    let url = URL(fileURLWithPath: arguments[1])
    let file = try await StoreFile.open(at: url, Entry.self, Position.self)
    var step = file.store.snapshot()[Position.self, 0]?.step ?? 0
    report("open \(step)")
    while true {
      step += 1
      let number = step
      try await file.store.write { tx in try CrashScenario.write(number, &tx) }
      // Some transactions share a sync.
      if random.chance(1, in: 3) { continue }
      try await file.durable(through: file.store.version)
      report("durable \(step)")
      switch random.int(0...60) {
      case 0: try await file.compact()
      case 1: try await file.backup(to: url.deletingLastPathComponent().appendingPathComponent("backup.db"))
      default: break
      }
    }
  }

  private static func report(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
