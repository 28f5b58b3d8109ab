import Foundation
import OracleSupport
import Testing

@Suite("Random histories against a model of arrays")
struct HistoryTests {
  /// How many histories; `ORACLE_HISTORIES` runs more, `ORACLE_SEED` begins elsewhere.
  static let count = number("ORACLE_HISTORIES") ?? (number("LIVESTORE_THOROUGH") == nil ? 20 : 80)
  static let first = number("ORACLE_SEED") ?? 1

  static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  @Test("what the store answers, refuses and delivers is what a naive model says")
  func histories() async {
    for seed in Self.first..<Self.first + Self.count {
      let history = History(seed: UInt64(seed))
      guard let first = await history.run().finding else { continue }
      guard let (smallest, finding, log) = await history.shrunk() else {
        Issue.record("seed \(seed), not found again when run again: \(first)")
        return
      }
      Issue.record("seed \(seed), steps \(smallest.steps): \(finding)\n\(log.joined(separator: "\n"))")
      return
    }
  }
}
