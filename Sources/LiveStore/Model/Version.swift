/// A version of a store. Each commit that changes something makes the next one.
///
/// Together with ``Store/identity``, it names one state for ever, so clients may store it, and continue from
/// there with ``Store/changes(of:since:mode:fileID:line:)``. It is encoded as its number.
public struct Version: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// Its place among the versions of the store: 0 is the empty one, and each commit that changes something
  /// makes the next. A store that continues after its process ended may skip numbers.
  public let number: UInt64

  /// The version of a number, such as one that a client has kept.
  public init(_ number: UInt64) { self.number = number }

  /// Reads the number.
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(UInt64.self)
  }

  /// Writes the number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The version of a store without a commit.
  public static let zero = Version(0)

  package func next() -> Version { Version(number + 1) }

  /// Whether `lhs` came before `rhs`.
  public static func < (lhs: Version, rhs: Version) -> Bool { lhs.number < rhs.number }

  /// The number in decimal digits.
  public var description: String { String(number) }
}
