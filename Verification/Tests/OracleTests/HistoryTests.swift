import Foundation
import OracleSupport
import Testing

@Suite("Random histories against a model of arrays")
struct HistoryTests {
  /// How many histories; `ORACLE_HISTORIES` runs more, `ORACLE_SEED` begins elsewhere.
  static let count = number("ORACLE_HISTORIES", atLeast: 1) ?? (isThorough ? 80 : 20)
  static let first = number("ORACLE_SEED", atLeast: 0) ?? 1
  private static let isThorough = number("LIVESTORE_THOROUGH", atLeast: 0) ?? 0 > 0

  /// The number that a variable asks for, nil if it is not set. One that asks for no number ends the process: it
  /// would be ignored otherwise.
  static func number(_ name: String, atLeast least: Int) -> Int? {
    guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else { return nil }
    guard let number = Int(text), number >= least else {
      fatalError("\(name)=\(text) is not a whole number of at least \(least).")
    }
    return number
  }

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
