import Foundation
import LiveStore

/// Decodes what ``ValueEncoder`` encoded: from the columns of a row, or from a value in one.
struct ValueDecoder: Decoder {
  fileprivate enum Source {
    case row(RowValues)
    case value(StoredValue)
  }

  fileprivate let source: Source
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// A decoder of the object in a row.
  init(_ row: RowValues) {
    source = .row(row)
    codingPath = []
  }

  /// A decoder of the object that is a JSON value.
  init(_ json: JSONValue) { self.init(.json(json), []) }

  fileprivate init(_ value: StoredValue, _ path: [any CodingKey]) {
    source = .value(value)
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch source {
    case .row(let row): return KeyedDecodingContainer(RowMembers(row: row))
    case .value(let value):
      guard case .object(let object) = try json(value) else {
        throw mismatch([String: JSONValue].self, "an object")
      }
      return KeyedDecodingContainer(ObjectMembers(object: object, codingPath: codingPath))
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(let value) = source, case .array(let elements) = try json(value) else {
      throw mismatch([JSONValue].self, "an array")
    }
    return Elements(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    guard case .value(let value) = source else { throw mismatch(JSONValue.self, "a single value") }
    return SingleValue(value: value, codingPath: codingPath)
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
    case .column: throw mismatch(JSONValue.self, "JSON")
    }
  }

  private func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "This is not \(expected)."))
  }
}

/// A value to decode: of a column, or within the JSON text of one.
enum StoredValue {
  case column(ColumnValue)
  case json(JSONValue)

  /// The value as a column would have it; nil if it is no such value, as arrays and objects.
  fileprivate var scalar: ColumnValue? {
    switch self {
    case .column(let value): value
    case .json(.null): .null
    case .json(.string(let text)): .text(text)
    case .json(.number(let number)): number.integer.map(ColumnValue.integer) ?? .real(number.double)
    case .json(.bool), .json(.array), .json(.object): nil
    }
  }

  fileprivate var isNull: Bool { scalar == .null }
}

/// Decodes single values.
private enum DecodedValue {
  static func string(_ value: StoredValue) -> String? {
    switch value.scalar {
    case .text(let text): text
    // Texts with a null character, which SQLite's tools would cut off.
    case .blob(let bytes): String(validating: bytes, as: UTF8.self)
    default: nil
    }
  }

  static func bool(_ value: StoredValue) -> Bool? {
    switch value {
    case .json(.bool(let value)): value
    case .column(.integer(0)): false
    case .column(.integer(1)): true
    default: nil
    }
  }

  static func double(_ value: StoredValue) -> Double? {
    switch value.scalar {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .text(let text) where ["nan", "inf", "-inf"].contains(text): Double(text)
    default: nil
    }
  }

  static func integer<Number: FixedWidthInteger>(_ value: StoredValue) -> Number? {
    switch value.scalar {
    case .integer(let value): Number(exactly: value)
    case .real(let value): Number(exactly: value)
    case .text(let text): Number(text)
    default: nil
    }
  }

  static func uuid(_ value: StoredValue) -> UUID? {
    switch value.scalar {
    case .blob(let bytes) where bytes.count == 16:
      bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let text):
      UUID(uuidString: text) ?? Data(base64Encoded: text).flatMap { uuid(.column(.blob(Array($0)))) }
    default: nil
    }
  }

  static func data(_ value: StoredValue) -> Data? {
    switch value.scalar {
    case .blob(let bytes): Data(bytes)
    case .text(let text): Data(base64Encoded: text)
    default: nil
    }
  }

  static func decimal(_ value: StoredValue) -> Decimal? {
    switch value.scalar {
    case .text(let text): Decimal(string: text, locale: nil)
    case .integer(let value): Decimal(value)
    case .real(let value): Decimal(value)
    default: nil
    }
  }

  /// A value of any type.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: StoredValue, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Value {
    // Comparing types is quicker than casting them, and this is called for each property that is no number.
    if type == Date.self {
      if let known = value.scalar.flatMap(DateText.date) as? Value { return known }
    } else if type == UUID.self {
      if let known = uuid(value) as? Value { return known }
    } else if type == String.self {
      if let known = string(value) as? Value { return known }
    } else if type == Data.self {
      if let known = data(value) as? Value { return known }
    } else if type == Decimal.self {
      if let known = decimal(value) as? Value { return known }
    } else if type == URL.self {
      guard let text = string(value), !text.hasPrefix("{") else {
        return try Value(from: ValueDecoder(value, path()))
      }
      if let known = URL(string: text) as? Value { return known }
    } else if type == JSONValue.self {
      if let known = try jsonValue(value) as? Value { return known }
    } else if let number = type as? any FixedWidthInteger.Type {
      if let known = integer(number, value) as? Value { return known }
    } else if type == Double.self {
      if let known = double(value) as? Value { return known }
    } else if type == Float.self {
      if let known = double(value).map({ Float($0) }) as? Value { return known }
    } else if type == Bool.self {
      if let known = bool(value) as? Value { return known }
    } else {
      return try Value(from: ValueDecoder(value, path()))
    }
    throw mistake(type, value, path())
  }

  private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ value: StoredValue) -> Any? {
    integer(value) as Number?
  }

  private static func jsonValue(_ value: StoredValue) throws -> JSONValue? {
    switch value {
    case .json(let value): value
    case .column(.text(let text)): try JSONValue(parsing: text)
    case .column: nil
    }
  }

  static func mistake(_ type: any Any.Type, _ value: StoredValue, _ path: [any CodingKey]) -> DecodingError {
    let context: (String) -> DecodingError.Context = {
      DecodingError.Context(codingPath: path, debugDescription: $0)
    }
    if value.isNull { return .valueNotFound(type, context("There is no value.")) }
    return .typeMismatch(type, context("The value \(shown(value)) is no \(type)."))
  }

  private static func shown(_ value: StoredValue) -> String {
    switch value {
    case .column(.blob(let bytes)): "of \(bytes.count) bytes"
    case .column(let value): String("\(CodedValue.column(value).json)".prefix(80))
    case .json(let value): String("\(value)".prefix(80))
    }
  }
}

/// The integer types that have members of their own in each container.
extension DecodedValue {
  static func number<Number: FixedWidthInteger & Decodable>(
    _ value: StoredValue, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Number {
    if let number: Number = integer(value) { return number }
    throw mistake(Number.self, value, path())
  }
}

/// Links to many objects, of which there may be none.
private protocol LinksToMany {
  static var empty: Self { get }
}

extension RefList: LinksToMany { fileprivate static var empty: Self { RefList() } }
extension RefSet: LinksToMany { fileprivate static var empty: Self { RefSet() } }
extension RefMap: LinksToMany { fileprivate static var empty: Self { RefMap() } }

/// The columns of a row, as the properties of an object.
private struct RowMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowValues
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.names.compactMap { Key(stringValue: $0) }.filter(contains) }

  func contains(_ key: Key) -> Bool { row[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

  private func value(_ key: Key) throws -> ColumnValue {
    if let value = row[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: [], debugDescription: "There is no column \(key.stringValue)."))
  }

  private func number<Number: FixedWidthInteger & Decodable>(_ key: Key) throws -> Number {
    try DecodedValue.number(.column(value(key)), at: [key])
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(key) }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let value = try value(key)
    if let bool = DecodedValue.bool(.column(value)) { return bool }
    throw DecodedValue.mistake(type, .column(value), [key])
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let value = try value(key)
    if case .text(let text) = value { return text }
    if let text = DecodedValue.string(.column(value)) { return text }
    throw DecodedValue.mistake(type, .column(value), [key])
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let value = try value(key)
    if let double = DecodedValue.double(.column(value)) { return double }
    throw DecodedValue.mistake(type, .column(value), [key])
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    Float(try decode(Double.self, forKey: key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    // New links to many are empty in the objects that were written before.
    if row[key.stringValue] ?? .null == .null, let links = type as? any LinksToMany.Type,
      let empty = links.empty as? Value
    {
      return empty
    }
    return try DecodedValue.decode(type, from: .column(value(key)), at: [key])
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try ValueDecoder(.column(value(key)), [key]).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try ValueDecoder(.column(value(key)), [key]).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(.column(row[ElementKey.parent.stringValue] ?? .null), [ElementKey.parent])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try ValueDecoder(.column(value(key)), [key]) }
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
  let value: StoredValue
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { value.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try DecodedValue.decode(type, from: value, at: codingPath)
  }
}

extension ValueDecoder {
  /// The value of a column as a type.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: ColumnValue, at path: [any CodingKey]
  ) throws -> Value {
    try DecodedValue.decode(type, from: .column(value), at: path)
  }
}
