import Foundation

/// How the values of a sort key go into a cursor of a page and come out of it.
struct SortKeyCoder: Sendable {
  /// The value of a row; nil if its type is not `Codable`.
  let encode: @Sendable (UnsafeRawPointer, ReadContext) -> JSONValue?
  /// A value from a cursor; nil if it is none of the key's type.
  let bound: @Sendable (JSONValue) -> SortKeyBound?
}

/// A value of a sort key that rows are compared with.
struct SortKeyBound {
  /// The value in 64 bits, in the values' own order, as an index has it.
  let abbreviation: UInt64
  /// Compares the value of a row with it, in the values' own order.
  let compare: (UnsafeRawPointer, ReadContext) -> Int
}

extension SortKeyCoder {
  init<Value>(_ accessor: Accessor<Value>, _ order: ValueOrder<Value>) {
    encode = { row, context in
      if Value.self == JSONValue.self { return accessor.read(row, context) as? JSONValue }
      guard let type = Value.self as? any Codable.Type else { return nil }
      return Self.encode(type, accessor.read(row, context))
    }
    bound = { json in
      // JSON is itself: a coder would enter it level by level, and a cursor may have any number of them.
      let decoded =
        Value.self == JSONValue.self
        ? json as? Value : (Value.self as? any Codable.Type).flatMap { Self.decode($0, json) }
      guard let value = decoded else { return nil }
      return SortKeyBound(abbreviation: order.abbreviate(value)) { row, context in
        order.compare(accessor.read(row, context), value)
      }
    }
  }

  private static func encode<Value, C: Codable>(_: C.Type, _ value: Value) -> JSONValue? {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // C is Value itself: the caller found it by casting the metatype.
    let text = try? encoder.encode(unsafeBitCast(value, to: C.self))
    return text.flatMap { try? JSONValue(parsing: $0) }
  }

  private static func decode<Value, C: Codable>(_: C.Type, _ json: JSONValue) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // C is Value itself, as above.
    return (try? decoder.decode(C.self, from: json)).map { unsafeBitCast($0, to: Value.self) }
  }
}
