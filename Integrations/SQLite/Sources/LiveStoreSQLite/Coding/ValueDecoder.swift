import Foundation
import LiveStore

/// Decodes what ``ValueEncoder`` encoded: from the columns of a row, or from a value in one.
///
/// It is one reference, so that the decoder of each row needs no memory of its own.
struct ValueDecoder: Decoder {
  private enum Source {
    case row(RowValues)
    indirect case value(StoredValue, [any CodingKey])
  }

  private let source: Source
  /// Whether the elements of an array are hashed.
  private let isHashed: Bool

  /// A decoder of the object in a row.
  init(_ row: RowValues) { (source, isHashed) = (.row(row), false) }

  init(_ value: StoredValue, _ path: [any CodingKey], isHashed: Bool = false) {
    (source, self.isHashed) = (.value(value, path), isHashed)
  }

  var codingPath: [any CodingKey] {
    switch source {
    case .row: []
    case .value(_, let path): path
    }
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A decoder of the object that is a JSON value.
  init(_ json: JSONValue) { self.init(.json(json), []) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch source {
    case .row(let row): return KeyedDecodingContainer(RowMembers(row: row))
    case .value(let value, let codingPath):
      guard case .object(let object) = try json(value) else {
        throw mismatch([String: JSONValue].self, "an object")
      }
      if object.contains(where: { $0.key.hasManyMarks }) {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "A letter of a key has more than \(String.maximumMarks) marks."))
      }
      return KeyedDecodingContainer(ObjectMembers(object: object, codingPath: codingPath))
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(let value, let codingPath) = source, case .array(let elements) = try json(value) else {
      throw mismatch([JSONValue].self, "an array")
    }
    if isHashed, elements.contains(where: \.isTextWithManyMarks) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "A letter of an element has more than \(String.maximumMarks) marks."))
    }
    return Elements(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    switch source {
    // An entity may keep all that it has as one value.
    case .row(let row): return SingleValue(row: row, own: .column(.null), codingPath: [])
    case .value(let value, let codingPath): return SingleValue(row: nil, own: value, codingPath: codingPath)
    }
  }

  /// The array or object of a value. A column has its text.
  private func json(_ value: StoredValue) throws -> JSONValue {
    switch value {
    case .json(let value): return value
    case .column(.text(let text)):
      do {
        return try JSONValue(parsing: text)
      } catch {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: codingPath, debugDescription: "The text is not JSON: \(error)"))
      }
    case .column(.null):
      throw DecodingError.valueNotFound(
        JSONValue.self, DecodingError.Context(codingPath: codingPath, debugDescription: "There is no value."))
    case .column, .text, .bytes: throw mismatch(JSONValue.self, "JSON")
    }
  }

  private func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "This is not \(expected)."))
  }
}

/// The members of a JSON object.
private struct ObjectMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let codingPath: [any CodingKey]
  var allKeys: [Key] { object.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

  private func value(_ key: Key) throws -> JSONValue {
    if let value = object[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "There is no member \(key.stringValue)."))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try DecodedValue.decode(type, from: .json(value(key)), at: codingPath + [key])
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try DecodedValue.number(.json(value(key)), at: codingPath + [key])
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try DecodedValue.number(.json(value(key)), at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(.json(object[ElementKey.parent.stringValue] ?? .null), codingPath + [ElementKey.parent])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    try ValueDecoder(.json(value(key)), codingPath + [key])
  }
}

/// The elements of a JSON array.
private struct Elements: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSONValue], codingPath: [any CodingKey]) {
    (self.elements, self.codingPath) = (elements, codingPath)
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }
  private var path: [any CodingKey] { codingPath + [ElementKey(currentIndex)] }

  private func current() throws -> JSONValue {
    if !isAtEnd { return elements[currentIndex] }
    throw DecodingError.valueNotFound(
      JSONValue.self,
      DecodingError.Context(codingPath: path, debugDescription: "The array has no more elements."))
  }

  mutating func decodeNil() throws -> Bool {
    guard try current().isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try DecodedValue.decode(type, from: .json(current()), at: path)
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try number() }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try number() }

  private mutating func number<Number: FixedWidthInteger & Decodable>() throws -> Number {
    let number: Number = try DecodedValue.number(.json(current()), at: path)
    currentIndex += 1
    return number
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    try decoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try decoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try decoder() }

  private mutating func decoder() throws -> ValueDecoder {
    let decoder = try ValueDecoder(.json(current()), path)
    currentIndex += 1
    return decoder
  }
}

private struct SingleValue: SingleValueDecodingContainer {
  /// The row whose columns are the members of the value, which is made when it is asked for; nil if there is another.
  let row: RowValues?
  let own: StoredValue
  let codingPath: [any CodingKey]

  private var value: StoredValue { row.map { .json($0.json) } ?? own }

  func decodeNil() -> Bool { row == nil && own.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try DecodedValue.decode(type, from: value, at: codingPath)
  }

  func decode(_ type: Int128.Type) throws -> Int128 { try DecodedValue.number(value, at: codingPath) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try DecodedValue.number(value, at: codingPath) }
}
