import Foundation
import LiveStore

/// A value to decode: of a column, or within the JSON text of one.
enum StoredValue {
  /// Of a column of which it is not known what it has.
  case column(ColumnValue)
  /// A text of a column, and no JSON, data or id.
  case text(String)
  /// An id or data of a column, and no text.
  case bytes([UInt8], isID: Bool)
  case json(JSONValue)

  /// The value as a column would have it; nil if it is no such value, as arrays and objects.
  var scalar: ColumnValue? {
    switch self {
    case .column(let value): value
    case .text(let text): .text(text)
    case .bytes(let bytes, _): .blob(bytes)
    case .json(.null): .null
    case .json(.string(let text)): .text(text)
    case .json(.number(let number)): number.integer.map(ColumnValue.integer) ?? .real(number.double)
    case .json(.bool), .json(.array), .json(.object): nil
    }
  }

  /// Other values that the same column has for other types.
  fileprivate var otherForms: [StoredValue] {
    switch scalar {
    case .text(let text):
      // As JSON has no number for others, they would be null.
      let seconds = DateText.date(.text(text)).flatMap { date in
        let seconds = date.timeIntervalSinceReferenceDate
        return seconds.isFinite ? StoredValue.json(JSONValue(seconds)) : nil
      }
      if case .text = self { return [.json(.string(text))] + [seconds].compactMap(\.self) }
      return [seconds].compactMap(\.self)
    case .real, .integer:
      let seconds = DecodedValue.double(self)
      return seconds.map { [.column(DateText.column(of: Date(timeIntervalSinceReferenceDate: $0)))] } ?? []
    case .blob(let bytes):
      guard case .bytes(_, isID: true) = self, let id = DecodedValue.uuid(of: .blob(bytes)) else { return [] }
      return [.json(.string(id.uuidString))]
    case .null, nil: return []
    }
  }

  var isNull: Bool { scalar == .null }

  /// The value as JSON.
  var json: JSONValue {
    switch self {
    case .column(let value): CodedValue.column(value).json
    case .text(let text): .string(text)
    case .bytes(let bytes, isID: true):
      DecodedValue.uuid(of: .blob(bytes)).map { .string($0.uuidString) }
        ?? CodedValue.column(.blob(bytes)).json
    case .bytes(let bytes, isID: false): CodedValue.column(.blob(bytes)).json
    case .json(let value): value
    }
  }
}

/// Decodes single values.
enum DecodedValue {
  static func string(_ value: StoredValue) -> String? {
    if case .text(let text) = value.scalar { text } else { nil }
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
    case .text(let text) where ["nan", "inf", "-inf", "-0.0"].contains { text.utf8.elementsEqual($0.utf8) }:
      Double(text)
    default: nil
    }
  }

  static func float(_ value: StoredValue) -> Float? {
    double(value).flatMap { double in
      let float = Float(double)
      return float.isInfinite && double.isFinite ? nil : float
    }
  }

  static func integer<Number: FixedWidthInteger>(_ value: StoredValue) -> Number? {
    // Not by the nearest double.
    if case .json(.number(let number)) = value, number.integer == nil {
      return NumberDigits("\(number)")?.integer()
    }
    return switch value.scalar {
    case .integer(let value): Number(exactly: value)
    case .real(let value): Number(exactly: value)
    // As the encoder writes what SQLite has no integer for. Another text of digits, such as 02134, is a text.
    case .text(let text): Int64(text) == nil ? Number(text).flatMap { "\($0)" == text ? $0 : nil } : nil
    default: nil
    }
  }

  /// The id in a column of 16 bytes.
  static func uuid(of column: ColumnValue) -> UUID? {
    guard case .blob(let bytes) = column, bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  static func uuid(_ value: StoredValue) -> UUID? {
    switch value {
    case .column(.blob(let bytes)), .bytes(let bytes, isID: true): uuid(of: .blob(bytes))
    case .column(.text(let text)), .json(.string(let text)): UUID(uuidString: text)
    default: nil
    }
  }

  static func data(_ value: StoredValue) -> Data? {
    switch value {
    case .column(.blob(let bytes)), .bytes(let bytes, isID: false): Data(bytes)
    case .column(.text(let text)), .json(.string(let text)): Data(base64Encoded: text)
    default: nil
    }
  }

  static func decimal(_ value: StoredValue) -> Decimal? {
    if case .json(.number(let number)) = value { return NumberDigits.decimal("\(number)") }
    return switch value.scalar {
    case .text(let text) where text.utf8.elementsEqual("nan".utf8): .nan
    // Foundation takes what a text begins with: 3 of 3 rooms.
    case .text(let text): isNumber(text) ? NumberDigits.decimal(text) : nil
    case .integer(let value): Decimal(value)
    // By its digits: Decimal(3.14) has others. What has too many for a Decimal is none.
    case .real(let value) where value.isFinite: NumberDigits.decimal("\(value)")
    default: nil
    }
  }

  /// Whether a text is a number as JSON has it, without blanks.
  private static func isNumber(_ text: String) -> Bool {
    guard case .number? = try? JSONValue(parsing: text) else { return false }
    return text.utf8.allSatisfy { $0 > UInt8(ascii: " ") }
  }

  /// A value of any type that a property has.
  ///
  /// For a type that cannot be read otherwise, a text is an id or data, an id a text, and a date a number of seconds and the other
  /// way round, as with Foundation's decoders: the type may have encoded by itself what it decodes through a container, or the
  /// other way round. A number alone is no date, and no optional one.
  static func decode<Value: Decodable>(
    _ type: Value.Type, of value: StoredValue, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Value {
    do {
      return try decode(type, from: value, at: path())
    } catch {
      if type == Date.self || type == Date?.self { throw error }
      for form in value.otherForms {
        if let known = try? decode(type, from: form, at: path()) { return known }
      }
      throw error
    }
  }

  /// A value of any type.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: StoredValue, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Value {
    // Comparing types is quicker than casting them.
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
      guard let text = string(value), text.utf8.first != UInt8(ascii: "{") else {
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
      if let known = float(value) as? Value { return known }
    } else if type == Bool.self {
      if let known = bool(value) as? Value { return known }
    } else {
      let isHashed = type is any HashedElements.Type
      if !isHashed, isFoundByName(type), string(value)?.hasManyMarks == true {
        throw mistake(type, value, path())
      }
      return try Value(from: ValueDecoder(value, path(), isHashed: isHashed))
    }
    throw mistake(type, value, path())
  }

  /// Whether a value may be found by comparing a text with names, as cases of enumerations are: then no text is read, or
  /// written, that takes long to compare.
  static func isFoundByName<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size < MemoryLayout<String>.size && type is any RawRepresentable.Type
  }

  private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ value: StoredValue) -> Any? {
    integer(value) as Number?
  }

  private static func jsonValue(_ value: StoredValue) throws -> JSONValue? {
    switch value {
    case .json(let value): value
    case .column(.text(let text)): try JSONValue(parsing: text)
    case .text(let text): .string(text)
    case .column, .bytes: nil
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
    case .column(.blob(let bytes)), .bytes(let bytes, _): "of \(bytes.count) bytes"
    case .column, .text, .json: "\(value.json)".beginning
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
