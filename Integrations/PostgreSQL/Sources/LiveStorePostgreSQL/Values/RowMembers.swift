import Foundation

/// The columns of a row, as the properties of an object.
///
/// The usual types are read here, without a generic step between; all others are left to `FieldValue`.
struct RowMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: RowDecoder
  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] { row.propertyNames.compactMap { $0.lazy.compactMap { Key(stringValue: $0) }.first } }

  func contains(_ key: Key) -> Bool { row.column(key.stringValue) >= 0 }

  func decodeNil(forKey key: Key) throws -> Bool {
    let column = row.column(key.stringValue)
    guard column >= 0 else { throw row.noColumn(key.stringValue) }
    switch row.field(column).form {
    case .null: return true
    case .unchanged: return try row.previousValue(key.stringValue, column) == nil
    case .text, .binary: return false
    }
  }

  /// The value of a property that may not be missing.
  @inline(__always)
  private func value<Value>(_ key: Key, _ type: Value.Type, _ read: (ValueBytes) -> Value?) throws -> Value {
    let column = row.column(key.stringValue)
    if column >= 0 {
      let field = row.field(column)
      if field.form.isValue, let value = row.withBytes(field, column, read) { return value }
    }
    return try unusualValue(key, column, type)
  }

  @inline(never)
  private func unusualValue<Value>(_ key: Key, _ column: Int, _ type: Value.Type) throws -> Value {
    guard column >= 0 else { throw row.noColumn(key.stringValue) }
    switch row.field(column).form {
    case .null: throw PostgresError.isNull(row.place(column), type)
    case .unchanged: return try row.previousValue(key.stringValue, column, as: type)
    case .text, .binary: throw PostgresError.unreadable(row.value(column), as: type)
    }
  }

  /// The value of a property that may be missing.
  @inline(__always)
  private func optional<Value>(_ key: Key, _ type: Value.Type, _ read: (ValueBytes) -> Value?) throws
    -> Value?
  {
    let column = row.column(key.stringValue)
    if column < 0 { return nil }
    let field = row.field(column)
    if field.form == .null { return nil }
    if field.form.isValue, let value = row.withBytes(field, column, read) { return value }
    return try unusualOptional(key, column, type)
  }

  @inline(never)
  private func unusualOptional<Value>(_ key: Key, _ column: Int, _ type: Value.Type) throws -> Value? {
    if row.field(column).form == .unchanged, try row.previousValue(key.stringValue, column) == nil {
      return nil
    }
    return try unusualValue(key, column, type)
  }

  // MARK: Numbers

  @inline(__always)
  private func number<Number: FixedWidthInteger>(_ key: Key, _ type: Number.Type) throws -> Number {
    try value(key, type) { $0.integer(type) }
  }

  @inline(__always)
  private func optionalNumber<Number: FixedWidthInteger>(_ key: Key, _ type: Number.Type) throws -> Number? {
    try optional(key, type) { $0.integer(type) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(key, type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(key, type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(key, type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(key, type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(key, type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(key, type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(key, type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(key, type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(key, type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(key, type) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try number(key, type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try number(key, type) }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optionalNumber(key, type) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try optionalNumber(key, type)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try optionalNumber(key, type)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try optionalNumber(key, type)
  }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try optionalNumber(key, type)
  }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try optionalNumber(key, type)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key, type) { $0.double } }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key, type) { $0.float } }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try optional(key, type) { $0.double }
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try optional(key, type) { $0.float }
  }

  // MARK: Other values

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key, type) { $0.bool } }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try optional(key, type) { $0.bool }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let column = row.column(key.stringValue)
    if column >= 0 {
      let field = row.field(column)
      if field.form.isValue, let text = row.text(field, column) { return text }
    }
    return try unusualValue(key, column, type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    let column = row.column(key.stringValue)
    if column < 0 { return nil }
    let field = row.field(column)
    if field.form == .null { return nil }
    if field.form.isValue, let text = row.text(field, column) { return text }
    return try unusualOptional(key, column, type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let column = row.column(key.stringValue)
    if column >= 0 {
      let field = row.field(column)
      if field.form.isValue { return try decode(type, field, column) }
    }
    return try absentValue(key, column, type)
  }

  @inline(never)
  private func absentValue<Value: Decodable>(_ key: Key, _ column: Int, _ type: Value.Type) throws -> Value {
    guard column >= 0, row.field(column).form == .null, type is any ExpressibleByNilLiteral.Type else {
      return try unusualValue(key, column, type)
    }
    return try Value(from: FieldDecoder(.null(row.place(column))))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let column = row.column(key.stringValue)
    if column < 0 { return nil }
    let field = row.field(column)
    switch field.form {
    case .null: return nil
    case .unchanged: return try unusualOptional(key, column, type)
    case .text, .binary:
      if row.layout.kinds[column].isJSON, row.value(column).isNull(type) { return nil }
      return try decode(type, field, column)
    }
  }

  @inline(__always)
  private func decode<Value: Decodable>(_ type: Value.Type, _ field: TupleData.Field, _ column: Int) throws
    -> Value
  {
    // The types are the same where a value is taken for one of the other.
    if type == UUID.self {
      if let id = row.withBytes(field, column, { $0.uuid }) { return unsafeBitCast(id, to: Value.self) }
    } else if type == Date.self {
      if let date = row.withBytes(field, column, { $0.date }) { return unsafeBitCast(date, to: Value.self) }
    }
    return try row.value(column).decode(type)
  }

  // MARK: Containers

  private func decoder(_ key: Key) throws -> FieldDecoder {
    let column = row.column(key.stringValue)
    guard column >= 0 else { throw row.noColumn(key.stringValue) }
    switch row.field(column).form {
    case .null: return FieldDecoder(.null(row.place(column)))
    case .unchanged: throw PostgresError.isUnchanged(row.place(column), "A part of it is asked for. ")
    case .text, .binary: return FieldDecoder(.value(row.value(column)))
    }
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { row }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

extension TupleData.Field.Form {
  @inline(__always)
  var isValue: Bool { self == .text || self == .binary }
}
