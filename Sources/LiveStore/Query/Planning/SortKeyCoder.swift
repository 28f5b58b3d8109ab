import Foundation

/// How the values of a sort key are written to a page cursor and read from it.
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
  /// Compares the value of a row with this one, in the values' own order.
  let compare: (UnsafeRawPointer, ReadContext) -> Int
}

extension SortKeyCoder {
  init<Value>(_ accessor: Accessor<Value>, _ order: ValueOrder<Value>) {
    encode = { row, context in Self.json(accessor.read(row, context)) }
    bound = { json in
      guard let value: Value = Self.value(json) else { return nil }
      return SortKeyBound(abbreviation: order.abbreviate(value)) { row, context in
        order.compare(accessor.read(row, context), value)
      }
    }
  }

  /// A value as JSON; nil if its type is not `Codable`.
  fileprivate static func json<Value>(_ value: Value) -> JSONValue? {
    // A coder would enter JSON level by level, with any number of levels in a cursor, and round numbers.
    if Value.self == JSONValue.self { return value as? JSONValue }
    if let type = Value.self as? any MarkedOptional.Type, type.isMarked { return marked(type, value) }
    return (Value.self as? any Codable.Type).flatMap { encode($0, value) }
  }

  /// The value that a cursor has as JSON; nil if it is none of the type.
  fileprivate static func value<Value>(_ json: JSONValue) -> Value? {
    if Value.self == JSONValue.self { return json as? Value }
    // A text may have any number of marks, which decoding refuses.
    if Value.self == String.self || Value.self == String?.self, case .string(let text) = json {
      return text as? Value
    }
    if let type = Value.self as? any MarkedOptional.Type, type.isMarked { return unmarked(type, json) }
    return (Value.self as? any Codable.Type).flatMap { decode($0, json) }
  }

  private static func marked<Value, O: MarkedOptional>(_: O.Type, _ value: Value) -> JSONValue? {
    // O is Value itself: the caller found it by casting the metatype.
    unsafeBitCast(value, to: O.self).marked
  }

  private static func unmarked<Value, O: MarkedOptional>(_: O.Type, _ json: JSONValue) -> Value? {
    // O is Value itself, as above.
    O.unmarked(json).map { unsafeBitCast($0, to: Value.self) }
  }

  private static func encode<Value, C: Codable>(_: C.Type, _ value: Value) -> JSONValue? {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // C is Value itself, as above.
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

/// An optional with values that a coder would read as nil: JSON null, or the nil of an inner optional.
private protocol MarkedOptional {
  static var isMarked: Bool { get }
  /// An array of the value, or without one; nil if its type is not `Codable`.
  var marked: JSONValue? { get }
  /// The optional that an array was made of; nil if it was made of none.
  static func unmarked(_ json: JSONValue) -> Self?
}

extension Optional: MarkedOptional {
  fileprivate static var isMarked: Bool {
    Wrapped.self == JSONValue.self || Wrapped.self is any MarkedOptional.Type
  }

  fileprivate var marked: JSONValue? {
    guard let self else { return .array([]) }
    return SortKeyCoder.json(self).map { .array([$0]) }
  }

  fileprivate static func unmarked(_ json: JSONValue) -> Wrapped?? {
    guard case .array(let elements) = json, elements.count <= 1 else { return .none }
    guard let element = elements.first else { return .some(.none) }
    let value: Wrapped? = SortKeyCoder.value(element)
    return value.map(Optional.some)
  }
}
