public import Foundation
public import LiveStore

/// The position of a client in a stream: a version of one store, as one query shows it.
///
/// ```swift
/// let version = StreamOffset(reply.headers["Stream-Next-Offset"])?.version
/// ```
/// As text it is `IDENTITY_QUERY_VERSION` in hexadecimal digits of fixed length, so offsets of one stream are ordered as
/// their texts. Clients of other languages do not read it. The query is part of it since a client's rows are those of what it was allowed to see
/// then; what is shown now may be something else.
public struct StreamOffset: Hashable, Sendable, CustomStringConvertible {
  /// The identity of the store.
  public let identity: UUID
  /// What names the query, and the fields that it shows.
  public let fingerprint: UInt64
  /// The version.
  public let version: Version

  /// A position.
  public init(_ identity: UUID, _ fingerprint: UInt64, _ version: Version) {
    (self.identity, self.fingerprint, self.version) = (identity, fingerprint, version)
  }

  /// Reads an offset; nil for a text that is none.
  ///
  /// - Complexity: O(1).
  public init?(_ text: String) {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false).map { Array($0.utf8) }
    guard parts.map(\.count) == [32, 16, 16],
      let high = Self.number(parts[0][..<16]), let low = Self.number(parts[0][16...]),
      let fingerprint = Self.number(parts[1][...]), let version = Self.number(parts[2][...])
    else { return nil }
    let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
    identity = NSUUID(uuidBytes: bytes) as UUID
    self.fingerprint = fingerprint
    self.version = Version(version)
  }

  /// The offset as text.
  public var description: String {
    let identity = self.identity.uuidString.lowercased().filter { $0 != "-" }
    return "\(identity)_\(Self.digits(fingerprint))_\(Self.digits(version.number))"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  private static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
