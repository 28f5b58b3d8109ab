/// A position in the write-ahead log of a PostgreSQL server (an LSN): what was committed before another has the lower one.
///
/// ```swift
/// let lsn = LogSequenceNumber("16/B374D848")
/// ```
public struct LogSequenceNumber: Sendable, Hashable, Comparable, LosslessStringConvertible {
  /// The position in bytes from the beginning of the log.
  public let rawValue: UInt64

  /// The position that is some bytes from the beginning of the log.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Reads a position as the server writes it: two hexadecimal numbers of at most 32 bits, with a slash between.
  ///
  /// - Returns: nil if the text is none.
  public init?(_ text: String) {
    let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 2, let high = Self.half(parts[0]), let low = Self.half(parts[1]) else { return nil }
    rawValue = UInt64(high) << 32 | UInt64(low)
  }

  private static func half(_ text: String) -> UInt32? {
    text.allSatisfy(\.isHexDigit) ? UInt32(text, radix: 16) : nil
  }

  /// The position as the server writes it.
  public var description: String {
    let low = UInt32(truncatingIfNeeded: rawValue)
    return "\(String(rawValue >> 32, radix: 16, uppercase: true))/\(String(low, radix: 16, uppercase: true))"
  }

  /// The end of what is in the log before this position: the server counts the header of a page that it begins, of at most
  /// 40 bytes, to the position at which it writes next, but not to the end of what it has written.
  var endOfRecord: LogSequenceNumber {
    let offset = rawValue % 8_192
    return offset <= 40 ? LogSequenceNumber(rawValue: rawValue - offset) : self
  }

  /// Whether one position is before another.
  public static func < (left: LogSequenceNumber, right: LogSequenceNumber) -> Bool {
    left.rawValue < right.rawValue
  }
}
