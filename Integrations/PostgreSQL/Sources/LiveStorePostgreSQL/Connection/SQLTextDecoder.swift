import Foundation

/// Reads a value from its text.
struct SQLTextDecoder: Decoder, SingleValueDecodingContainer {
  let text: String?
  let column: String

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
    if type == Decimal.self, let number = try Decimal(string: value(type)) as? Value { return number }
    if let type = type as? any LosslessStringConvertible.Type, type != Bool.self {
      guard let number = try type.init(value(type)) as? Value else {
        throw mismatch(type, "has another form")
      }
      return number
    }
    return try Value(from: self)
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch try value(type) {
    case "t", "true": true
    case "f", "false": false
    default: throw mismatch(type, "is true or false")
    }
  }

  private func value(_ type: Any.Type) throws -> String {
    guard let text else { throw mismatch(type, "cannot be NULL") }
    return text
  }

  private func mismatch(_ type: Any.Type, _ reason: String) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "The column '\(column)' has the value \(text.map { "'\($0.prefix(80))'" } ?? "NULL"), and a \(type) \(reason).",
      column: column, value: text.map { String($0.prefix(80)) })
  }
}
