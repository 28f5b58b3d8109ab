import Foundation

/// Which seeds a randomised suite runs.
///
/// The usual run has a few of each; `LIVESTORE_THOROUGH=1` runs a suite's full number, `LIVESTORE_SEEDS=500` that many,
/// and `LIVESTORE_SEED=42` one seed alone, to repeat a failure, or `LIVESTORE_SEED=1001...2000` a part of a long run.
package enum Seeds {
  package static func forSuite(_ usual: Int, thorough: Int? = nil, from first: UInt64 = 1) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["LIVESTORE_SEED"] {
      let bounds = text.split(separator: "...").compactMap { UInt64($0) }
      if let first = bounds.first, let last = bounds.last, first <= last { return Array(first...last) }
    }
    let count =
      environment["LIVESTORE_SEEDS"].flatMap { Int($0) }
      ?? (Environment.isThorough ? thorough ?? usual : usual)
    return (0..<UInt64(max(0, count))).map { first + $0 }
  }
}

/// What the oracle found wrong.
package struct Mismatch: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw Mismatch(message()) }
}
