import LiveStore

/// Bytes that say of themselves what they are: JSON, for values that a column cannot have as they are, after a mark that no
/// UTF-8 begins with; and data and ids, as they are, or after the mark and a zero if they begin with the mark themselves.
enum MarkedBytes {
  private static let mark: [UInt8] = [0xFF] + "JSON".utf8

  enum Content {
    case json(JSONValue)
    case bytes(UnsafeRawBufferPointer)
  }

  static func json(_ value: JSONValue) -> [UInt8] { mark + "\(value)".utf8 }

  static func bytes(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.starts(with: mark) ? mark + [0] + bytes : Array(bytes)
  }

  /// What bytes have, which is valid as long as they are.
  static func content(of bytes: UnsafeRawBufferPointer) -> Content {
    guard bytes.starts(with: mark) else { return .bytes(bytes) }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(mark.count))
    if rest.first == 0 { return .bytes(UnsafeRawBufferPointer(rebasing: rest.dropFirst())) }
    guard let text = String(validating: rest, as: UTF8.self), let value = try? JSONValue(parsing: text) else {
      return .bytes(bytes)
    }
    return .json(value)
  }
}
