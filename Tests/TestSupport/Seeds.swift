import Foundation

/// Which seeds a randomised suite runs.
///
/// The usual run has a few of each; `LIVESTORE_THOROUGH=1` runs a suite's full number, `LIVESTORE_SEEDS=500`
/// that many, and `LIVESTORE_SEED=42` one seed alone, to repeat a failure, or `LIVESTORE_SEED=1001...2000` a
/// part of a long run. Where the usual run does less for each seed, too, what failed in the full one is
/// repeated with both variables.
package enum Seeds {
  /// The seeds that `LIVESTORE_SEED` names, nil if it is not set.
  package static let named: ClosedRange<UInt64>? = Environment.value(
    "LIVESTORE_SEED", "a seed such as 42, or a range of seeds such as 1001...2000", range)

  private static let askedCount = Environment.count("LIVESTORE_SEEDS")

  package static func forSuite(_ usual: Int, thorough: Int? = nil, from first: UInt64 = 1) -> [UInt64] {
    if let named { return Array(named) }
    let count = askedCount ?? Environment.size(usual, thorough: thorough ?? usual)
    return (0..<UInt64(count)).map { first + $0 }
  }

  private static func range(_ text: String) -> ClosedRange<UInt64>? {
    if let seed = UInt64(text) { return seed...seed }
    guard let dots = text.range(of: "...") else { return nil }
    guard let first = UInt64(text[..<dots.lowerBound]), let last = UInt64(text[dots.upperBound...]),
      first <= last
    else { return nil }
    return first...last
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
