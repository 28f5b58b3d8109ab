/// The number of a store's state. Each commit that changes something makes the next one.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// How many commits that changed something came before; 0 is the empty store.
  public let number: UInt64

  @usableFromInline
  package init(_ number: UInt64) { self.number = number }

  /// The version of a store without a commit.
  public static let zero = Version(0)

  package func next() -> Version { Version(number + 1) }

  /// Whether `lhs` came before `rhs`.
  public static func < (lhs: Version, rhs: Version) -> Bool { lhs.number < rhs.number }

  /// The number in decimal digits.
  public var description: String { String(number) }
}
