import Foundation
import LiveStore

/// The properties that a type decodes from a row, as far as they are known without one.
///
/// A decoder answers each request with a placeholder and remembers it. A type that accepts no placeholder, such as one
/// with a rule for its values, ends that: properties after it are not known.
package struct RequestedProperties {
  package struct Property {
    package let name: String
    package let type: any Any.Type
    /// Whether the property may be missing.
    package let isOptional: Bool
  }

  package let properties: [Property]
  /// Whether all properties are known.
  package let isComplete: Bool

  package init<Object: Decodable>(of type: Object.Type) {
    let requests = Requests()
    isComplete = (try? Object(from: PlaceholderDecoder(requests: requests, depth: 0))) != nil
    properties = requests.properties
  }

  /// Checks that a table has a column for each property that may not be missing, of a type that it can be read from.
  ///
  /// - Returns: the optional properties for which the table has no column.
  package func check(_ layout: RowLayout, _ naming: ColumnNaming) throws -> [String] {
    var missing: [String] = []
    for property in properties {
      let column = naming.column(for: property.name)
      guard let index = layout.index(of: column) else {
        if !property.isOptional { throw PostgresError.noColumn(column, layout) }
        missing.append(property.name)
        continue
      }
      let type = layout.types[index]
      if !type.kind.mayBe(property.type) {
        throw PostgresError(
          PostgresError.mismatch,
          "Column \(column) (\(type)) of table \(layout.table) cannot be read as \(property.type).",
          table: layout.table, column: column)
      }
    }
    return missing
  }
}

extension PostgresType.Kind {
  /// Whether some value of the kind can be read as a type; true for types that decode themselves.
  package func mayBe(_ type: any Any.Type) -> Bool {
    if isJSON { return true }
    if type == Bool.self { return self == .bool }
    if type == UUID.self { return self == .uuid || self == .text }
    if type == Data.self { return self == .bytea }
    if type == Date.self { return [.date, .timestamp, .timestamptz, .text].contains(self) }
    if type == Double.self || type == Float.self || type == Decimal.self || type is any FixedWidthInteger.Type
    {
      return [.int2, .int4, .int8, .oid, .float4, .float8, .numeric, .text, .other].contains(self)
    }
    return true
  }
}

/// The requests so far. One decoder uses it at a time.
private final class Requests {
  private(set) var properties: [RequestedProperties.Property] = []

  func add(_ name: String, _ type: any Any.Type, isOptional: Bool) {
    // A property that was asked for before may be missing if its presence was asked for.
    guard let index = properties.firstIndex(where: { $0.name == name }) else {
      properties.append(.init(name: name, type: type, isOptional: isOptional))
      return
    }
    properties[index] = .init(name: name, type: type, isOptional: properties[index].isOptional)
  }
}

/// Answers requests with placeholders, and remembers those of the object itself.
private struct PlaceholderDecoder: Decoder {
  let requests: Requests
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(PlaceholderMembers(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { NoElements() }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { PlaceholderValue(decoder: self) }

  func placeholder<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let known: Any? =
      if type == String.self {
        ""
      } else if type == UUID.self {
        UUID()
      } else if type == Date.self {
        Date.distantPast
      } else if type == Data.self {
        Data()
      } else if type == Decimal.self {
        Decimal.zero
      } else if type == URL.self {
        URL(string: "placeholder:")
      } else if type == Bool.self {
        false
      } else if type == JSONValue.self {
        JSONValue.null
      } else if let number = type as? any FixedWidthInteger.Type {
        number.init(truncatingIfNeeded: 0)
      } else if let number = type as? any BinaryFloatingPoint.Type {
        number.init(0)
      } else if let cases = type as? any CaseIterable.Type {
        Self.first(cases)
      } else {
        nil
      }
    if let known = known as? Value { return known }
    // Types contain each other to some depth only, unless they never end.
    guard depth < 30 else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The type has no end."))
    }
    return try Value(from: PlaceholderDecoder(requests: Requests(), depth: depth + 1))
  }

  private static func first<Cases: CaseIterable>(_ type: Cases.Type) -> Any? { type.allCases.first }
}

private struct PlaceholderMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: PlaceholderDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool {
    decoder.requests.add(key.stringValue, Any.self, isOptional: true)
    return true
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    decoder.requests.add(key.stringValue, Any.self, isOptional: false)
    return false
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    decoder.requests.add(key.stringValue, type, isOptional: false)
    return try decoder.placeholder(type)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(type, key) }

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ key: Key) throws -> Number {
    decoder.requests.add(key.stringValue, type, isOptional: false)
    return 0
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    decoder.requests.add(key.stringValue, type, isOptional: true)
    return nil
  }

  private func part(_ key: String) -> PlaceholderDecoder {
    decoder.requests.add(key, Any.self, isOptional: false)
    return PlaceholderDecoder(requests: Requests(), depth: decoder.depth + 1)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  {
    try part(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try part(key.stringValue).unkeyedContainer()
  }

  // The parent of an object has the same row.
  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { part(key.stringValue) }
}

private struct PlaceholderValue: SingleValueDecodingContainer {
  let decoder: PlaceholderDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { true }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.placeholder(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { 0 }
  func decode(_ type: UInt128.Type) throws -> UInt128 { 0 }
}

private struct NoElements: UnkeyedDecodingContainer {
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  private var end: DecodingError {
    .valueNotFound(Any.self, .init(codingPath: [], debugDescription: "The array has no elements."))
  }

  mutating func decodeNil() throws -> Bool { throw end }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw end }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { throw end }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { throw end }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    throw end
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw end }
  mutating func superDecoder() throws -> any Decoder { throw end }
}
