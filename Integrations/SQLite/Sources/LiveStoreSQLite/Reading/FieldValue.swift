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
    case bool, integer, real, text, date, null, object, array, uuid, data

    /// The name as a person writes it.
    package var name: String {
      switch self {
      case .bool: "Bool"
      case .uuid: "UUID"
      default: rawValue
      }
    }
  }

  /// What the value is, in a column of values of some kinds.
  func kind(_ kinds: ValueKinds) -> Kind {
    switch self {
    case .integer: isBool(kinds) ? .bool : .integer
    case .real: .real
    case .blob(let bytes):
      switch MarkedBytes.content(of: bytes) {
      case .json(let value): Self.kind(value)
      case .bytes(let bytes): isUUID(bytes, kinds) ? .uuid : .data
      }
    case .text(let bytes): parsed(bytes, kinds).map(Self.kind) ?? (Self.isDate(bytes) ? .date : .text)
    }
  }

  private static func kind(_ value: JSONValue) -> Kind {
    switch value {
    case .object: .object
    case .array: .array
    case .bool: .bool
    case .null: .null
    case .number(let number): number.integer == nil ? .real : .integer
    case .string: .text
    }
  }

  /// The value as `StoreFile.exportJSON` writes it, in a column of values of some kinds. Among kinds that cannot be told
  /// apart, it is what a person would take it for.
  func json(_ kinds: ValueKinds) -> JSONValue {
    switch self {
    case .integer(let value): isBool(kinds) ? .bool(value != 0) : JSONValue(value)
    case .real(let value): CodedValue.column(.real(value)).json
    case .blob(let bytes):
      switch MarkedBytes.content(of: bytes) {
      case .json(let value): value
      case .bytes(let bytes) where isUUID(bytes, kinds):
        .string(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString)
      case .bytes(let bytes): .string(Data(bytes).base64EncodedString())
      }
    case .text(let bytes): parsed(bytes, kinds) ?? .string(String(decoding: bytes, as: UTF8.self))
    }
  }

  private func isBool(_ kinds: ValueKinds) -> Bool {
    kinds.isDisjoint(with: .number) || kinds.native.contains(.bool)
  }

  private func isUUID(_ bytes: UnsafeRawBufferPointer, _ kinds: ValueKinds) -> Bool {
    bytes.count == 16 && kinds.contains(.uuid) && !kinds.native.contains(.data)
  }

  /// The JSON that a text is; nil if it is a text. Among both kinds, if neither is native, texts like arrays and objects
  /// are JSON.
  private func parsed(_ bytes: UnsafeRawBufferPointer, _ kinds: ValueKinds) -> JSONValue? {
    guard kinds.contains(.json), !kinds.native.contains(.text) else { return nil }
    if kinds.contains(.text), !kinds.native.contains(.json) {
      guard bytes.count >= 2 else { return nil }
      switch (bytes[0], bytes[bytes.count - 1]) {
      case (UInt8(ascii: "{"), UInt8(ascii: "}")), (UInt8(ascii: "["), UInt8(ascii: "]")): break
      default: return nil
      }
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
