import Foundation

/// Reads a value from its text.
struct SQLTextDecoder: Decoder, SingleValueDecodingContainer {
  let text: String?
  let column: String
  /// Whether the server fills the text up with blanks.
  var isPadded = false

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch(Key.self, "has several members")
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw mismatch([String].self, "has elements")
  }

  func decodeNil() -> Bool { text == nil }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let known: Any?
    // Foundation and Swift read the beginning of a text, or more texts than the server writes.
    if type == Decimal.self {
      known = try ExactDecimal.decimal(value(type))
    } else if type == Double.self {
      known = try ValueBytes.double(value(type))
    } else if type == Float.self {
      known = try ValueBytes.float(value(type))
    } else if type == Date.self {
      var text = try value(type)
      known = text.withUTF8 { PostgresInstant(UnsafeRawBufferPointer($0))?.date }
    } else if type == String.self {
      known = try value(type)
    } else if !(type is any ExpressibleByNilLiteral.Type), text?.hasManyMarks == true {
      // A type that decodes itself may hash or compare the text, as an enumeration does.
      throw mismatch(type, "has no letter with more than \(String.maximumMarks) marks")
    } else if let type = type as? any LosslessStringConvertible.Type, type != Bool.self {
      known = try type.init(value(type))
    } else if isPadded, type is any RawRepresentable.Type,
      let value = try? Value(from: SQLTextDecoder(text: text?.withoutPadding, column: column))
    {
      return value
    } else {
      do {
        return try Value(from: self)
      } catch is DecodingError {
        throw mismatch(type, "cannot be made of it")
      }
    }
    guard let known = known as? Value else {
      throw mismatch(type, "has another form, or fewer digits")
    }
    return known
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    let text = try value(type)
    if text.isSame(as: "t") || text.isSame(as: "true") { return true }
    if text.isSame(as: "f") || text.isSame(as: "false") { return false }
    throw mismatch(type, "is true or false")
  }

  private func value(_ type: Any.Type) throws -> String {
    guard let text else { throw mismatch(type, "cannot be NULL") }
    return text
  }

  private func mismatch(_ type: Any.Type, _ reason: String) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "The column '\(column)' has the value \(text.map { "'\($0.beginning)'" } ?? "NULL"), and a \(type) \(reason).",
      column: column, value: text.map(\.beginning))
  }
}

extension String {
  /// The text without the blanks at its end.
  fileprivate var withoutPadding: String {
    let end = utf8.lastIndex { $0 != UInt8(ascii: " ") }.map { utf8.index(after: $0) } ?? startIndex
    return String(self[..<end])
  }
}
