import LiveStore

/// Bytes that say of themselves what they are: JSON, for values that a column cannot have as they are, after a mark that no
/// UTF-8 begins with; nil that was written, in a column whose missing values have a default; and data and ids, as they
/// are, or after the mark and a zero if they begin with the mark themselves.
enum MarkedBytes {
  private static let mark: [UInt8] = [0xFF] + "JSON".utf8

  /// Nil that was written, and is not a missing value.
  static let null = mark + [1]

  enum Content {
    case json(JSONValue)
    case bytes(UnsafeRawBufferPointer)
  }

  static func json(_ value: JSONValue) -> [UInt8] { mark + "\(value)".utf8 }

  static func bytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
    isMarked(bytes) ? mark + [0] + bytes : Array(bytes)
  }

  static func isMarked(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: mark) }

  /// What bytes have, which is valid as long as they are.
  static func content(of bytes: UnsafeRawBufferPointer) -> Content {
    guard isMarked(bytes) else { return .bytes(bytes) }
    if bytes.elementsEqual(null) { return .json(.null) }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(mark.count))
    if rest.first == 0 { return .bytes(UnsafeRawBufferPointer(rebasing: rest.dropFirst())) }
    guard let text = String(validating: rest, as: UTF8.self), let value = try? JSONValue(parsing: text) else {
      return .bytes(bytes)
    }
    return .json(value)
  }
}
