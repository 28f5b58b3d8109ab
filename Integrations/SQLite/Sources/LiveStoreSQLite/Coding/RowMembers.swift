import Foundation
import LiveStore

/// The columns of a row, as the properties of an object.
///
/// The usual form of each value is read here, without a generic step between; all others are left to `DecodedValue`.
struct RowMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowValues
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.names.compactMap { Key(stringValue: $0) }.filter(contains) }

  /// Whether the property has a value: a column has nothing for what an object was encoded without.
  func contains(_ key: Key) -> Bool { present(key) != nil || defaultValue(key)?.kinds.isEmpty == false }

  func decodeNil(forKey key: Key) throws -> Bool {
    if present(key) != nil { return false }
    if defaultValue(key) == nil { _ = try stored(key) }
    return true
  }

  /// The value of a property that may not be missing: its default if there is none.
  private func value(_ key: Key) throws -> ColumnValue {
    if let value = present(key) ?? defaultValue(key)?.column { return value }
    return try stored(key)
  }

  private func stored(_ key: Key) throws -> ColumnValue {
    if let value = row[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key, DecodingError.Context(codingPath: [], debugDescription: "There is no column \(key.stringValue)."))
  }

  /// The value of a column; nil if it is null, or there is no such column.
  private func present(_ key: Key) -> ColumnValue? {
    guard let value = row[key.stringValue] else { return nil }
    switch value {
    case .null: return nil
    case .blob(let bytes): return bytes == MarkedBytes.null ? nil : value
    case .integer, .real, .text: return value
    }
  }

  /// What a property without a value has; nil if it has none, or if the nil was written.
  private func defaultValue(_ key: Key) -> CodedValue? {
    guard let value = row.defaults[key.stringValue] else { return nil }
    if case .blob? = row[key.stringValue] { return nil }
    return value
  }

  /// The value of a column of which some values are stored as JSON in bytes.
  private func decoded(_ value: ColumnValue, _ key: Key) -> StoredValue {
    if case .blob = value { return StoredValue(value, row.kinds(key.stringValue)) }
    return .column(value)
  }

  /// Whether a value is one of a kind that SQLite stores as those of another, by what was written to the column; a default was
  /// not.
  @inline(__always)
  private func isOther(_ kind: ValueKinds, than other: ValueKinds, _ key: Key) -> Bool {
    let native = row.kinds(key.stringValue).native
    return native.contains(kind) && !native.contains(other) && present(key) != nil
  }

  // MARK: Numbers

  @inline(__always)
  private func number<Number: FixedWidthInteger & Decodable>(_ value: ColumnValue, _ key: Key) throws
    -> Number
  {
    if case .integer(let integer) = value, let number = Number(exactly: integer) { return number }
    return try DecodedValue.number(decoded(value, key), at: [key])
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(value(key), key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(value(key), key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(value(key), key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(value(key), key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(value(key), key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(value(key), key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(value(key), key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(value(key), key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(value(key), key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(value(key), key) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try number(value(key), key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try number(value(key), key) }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try present(key).map { try number($0, key) }
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try present(key).map { try number($0, key) }
  }

  private func double(_ value: ColumnValue, _ key: Key) throws -> Double {
    if case .real(let double) = value { return double }
    let stored = decoded(value, key)
    if let double = DecodedValue.double(stored) { return double }
    throw DecodedValue.mistake(Double.self, stored, [key])
  }

  private func float(_ value: ColumnValue, _ key: Key) throws -> Float {
    let stored = decoded(value, key)
    if let float = DecodedValue.float(stored) { return float }
    throw DecodedValue.mistake(Float.self, stored, [key])
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try double(value(key), key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try float(value(key), key) }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key).map { try double($0, key) }
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try present(key).map { try float($0, key) }
  }

  // MARK: Other values

  private func bool(_ value: ColumnValue, _ key: Key) throws -> Bool {
    let stored = decoded(value, key)
    if case .column = stored, isOther(.number, than: .bool, key) {
      throw DecodedValue.mistake(Bool.self, stored, [key])
    }
    if let bool = DecodedValue.bool(stored) { return bool }
    throw DecodedValue.mistake(Bool.self, stored, [key])
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try bool(value(key), key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key).map { try bool($0, key) }
  }

  private func string(_ value: ColumnValue, _ key: Key) throws -> String {
    if case .text(let text) = value, !isOther(.json, than: .text, key) { return text }
    let stored = StoredValue(value, row.kinds(key.stringValue))
    if let text = DecodedValue.string(stored) { return text }
    throw DecodedValue.mistake(String.self, stored, [key])
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String { try string(value(key), key) }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key).map { try string($0, key) }
  }

  @inline(__always)
  private func decode<Value: Decodable>(
    _ type: Value.Type, _ value: ColumnValue, _ key: Key
  ) throws -> Value {
    // The types are the same where a value is taken for one of the other.
    if type == UUID.self {
      if case .blob(let bytes) = value, !MarkedBytes.isMarked(bytes), !isOther(.data, than: .uuid, key),
        let id = DecodedValue.uuid(of: value)
      {
        return unsafeBitCast(id, to: Value.self)
      }
    } else if type == Date.self {
      if let date = DateText.date(value) { return unsafeBitCast(date, to: Value.self) }
    }
    return try DecodedValue.decode(type, of: StoredValue(value, row.kinds(key.stringValue)), at: [key])
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if let value = present(key) { return try decode(type, value, key) }
    // An optional that is nil has no default.
    if type is any OptionalValue.Type { return try decode(type, stored(key), key) }
    if let value = defaultValue(key) {
      return try DecodedValue.decode(type, of: StoredValue(value), at: [key])
    }
    // New links to many are empty in the objects that were written before.
    if let links = type as? any LinksToMany.Type, let empty = links.empty as? Value { return empty }
    return try decode(type, stored(key), key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = present(key) else { return nil }
    return try decode(type, value, key)
  }

  // MARK: Containers

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let name = ElementKey.parent.stringValue
    return ValueDecoder(StoredValue(row[name] ?? .null, row.kinds(name)), [ElementKey.parent])
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    if let value = present(key) { return ValueDecoder(StoredValue(value, row.kinds(key.stringValue)), [key]) }
    if let value = defaultValue(key) { return ValueDecoder(StoredValue(value), [key]) }
    return try ValueDecoder(.column(stored(key)), [key])
  }
}

private protocol OptionalValue {}

extension Optional: OptionalValue {}

/// Links to many objects, of which there may be none.
private protocol LinksToMany {
  static var empty: Self { get }
}

extension RefList: LinksToMany { fileprivate static var empty: Self { RefList() } }
extension RefSet: LinksToMany { fileprivate static var empty: Self { RefSet() } }
extension RefMap: LinksToMany { fileprivate static var empty: Self { RefMap() } }
