import Foundation
import LiveStore

/// A value within the bytes of a row, which are valid as long as the row is read.
package enum FieldValue {
  case integer(Int64)
  case real(Double)
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  /// What a value is, as far as a file without its types can tell.
  package enum Kind: String, CaseIterable, Sendable {
    case integer, real, text, date, object, array, uuid, data

    /// The name as a person writes it.
    package var name: String { self == .uuid ? "UUID" : rawValue }
  }

  var kind: Kind {
    switch self {
    case .integer: .integer
    case .real: .real
    case .blob(let bytes): bytes.count == 16 ? .uuid : .data
    case .text(let bytes):
      switch json(bytes) {
      case .object?: .object
      case .array?: .array
      default: Self.isDate(bytes) ? .date : .text
      }
    }
  }

  /// The value as a person reads it.
  var json: JSONValue {
    switch self {
    case .integer(let value): JSONValue(value)
    case .real(let value): value.isFinite ? JSONValue(value) : .string("\(value)")
    case .blob(let bytes) where bytes.count == 16:
      .string(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
    case .blob(let bytes): .string(Data(bytes).base64EncodedString())
    case .text(let bytes): json(bytes) ?? .string(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The array or object that a text is; nil if it is none.
  private func json(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
    guard bytes.count >= 2 else { return nil }
    switch (bytes[0], bytes[bytes.count - 1]) {
    case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")): break
    default: return nil
    }
    return try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
  }

  private static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // As the library writes them, which is longer than the date alone.
    guard 23...29 ~= bytes.count, bytes[4] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: " ") else {
      return false
    }
    return DateText.date(.text(String(decoding: bytes, as: UTF8.self))) != nil
  }
}
