import Foundation
import LiveStore

extension FieldValue {
  /// The value as a type of Swift.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let known: Value?
    // Comparing types is quicker than casting them.
    if type == String.self {
      known = text as? Value
    } else if type == UUID.self, !isJSON {
      known = withBytes { $0.uuid } as? Value
    } else if type == Date.self, !isJSON {
      known = withBytes { $0.date } as? Value
    } else if type == Data.self, !isJSON {
      known = withBytes { $0.data }.map { Data($0) } as? Value
    } else if type == [UInt8].self, self.type.kind == .bytea {
      known = withBytes { $0.data } as? Value
    } else if type == Decimal.self, !isJSON {
      return try cast(decimal(), to: type)
    } else if type == URL.self, !isJSON {
      known = text.flatMap { URL(string: $0) } as? Value
    } else if type == JSONValue.self, isJSON {
      return try wrapping(type) { try cast(JSONColumn.json(self), to: type) }
    } else if let optional = type as? any DecodedOptional.Type {
      return try cast(optional.decoded(from: self), to: type)
    } else if isJSON {
      return try wrapping(type) { try JSONColumn.decode(type, self) }
    } else if let integer = type as? any FixedWidthInteger.Type {
      known = number(integer) as? Value
    } else if type == Double.self {
      known = withBytes { $0.double } as? Value
    } else if type == Float.self {
      known = withBytes { $0.float } as? Value
    } else if type == Bool.self {
      known = withBytes { $0.bool } as? Value
    } else {
      // A type that decodes itself may hash or compare the text, as sets and enumerations do.
      if type != [String].self, type != [String?].self, hasManyMarks {
        throw PostgresError.unreadable(self, as: type, "A letter has more than \(String.maximumMarks) marks.")
      }
      if let unpadded, type is any RawRepresentable.Type,
        let value = try? Value(from: FieldDecoder(.value(unpadded)))
      {
        return value
      }
      return try wrapping(type) { try Value(from: FieldDecoder(.value(self))) }
    }
    guard let known else { throw PostgresError.unreadable(self, as: type) }
    return known
  }

  var isJSON: Bool { type.kind.isJSON }

  /// The value without the blanks that fill it up, if its type does so.
  private var unpadded: FieldValue? {
    guard type.isPadded else { return nil }
    let end = bytes[range].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? range.lowerBound
    return FieldValue(
      bytes: bytes, range: range.lowerBound..<end, isBinary: isBinary, type: type, place: place)
  }

  /// Whether a letter of a text, or of one in an array, has more marks than are hashed or compared. The bytes of texts are the
  /// same in both forms, but for what is escaped in arrays: any byte may be.
  private var hasManyMarks: Bool {
    var element = type
    while let inner = element.element { element = inner }
    switch element.kind {
    case .text, .json, .jsonb, .enumeration, .other: break
    default: return false
    }
    guard range.count > String.maximumMarks else { return false }
    if type.kind != .array { return String(decoding: bytes[range], as: UTF8.self).hasManyMarks }
    let escapes = [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
    return String(decoding: bytes[range].filter { !escapes.contains($0) }, as: UTF8.self).hasManyMarks
  }

  /// Whether the value is JSON's null for a type that has no such value of its own.
  func isNull(_ type: any Any.Type) -> Bool {
    isJSON && range.count <= 5 && type != JSONValue.self && type != String.self && text == "null"
  }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard let number = withBytes({ $0.integer(type) }) else { throw PostgresError.unreadable(self, as: type) }
    return number
  }

  private func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Any? {
    withBytes { $0.integer(type) }
  }

  private func decimal() throws -> Decimal {
    switch type.kind {
    case .int2, .int4, .int8, .oid, .float4, .float8, .numeric, .text, .other: break
    default: throw PostgresError.unreadable(self, as: Decimal.self)
    }
    let digits =
      isBinary && type.kind == .numeric ? withBytes { BinaryNumeric($0.bytes)?.numberText } : text
    guard let decimal = digits.flatMap({ ExactDecimal.decimal($0) }) else {
      let isNumber = type.kind == .numeric
      throw PostgresError.unreadable(
        self, as: Decimal.self, isNumber ? "A Decimal has 38 digits and no infinities." : nil)
    }
    return decimal
  }

  private func cast<Value>(_ value: some Any, to type: Value.Type) throws -> Value {
    guard let value = value as? Value else { throw PostgresError.unreadable(self, as: type) }
    return value
  }

  /// Gives the errors of types that decode themselves the place of the value.
  private func wrapping<Value>(_ type: Value.Type, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error
    } catch {
      throw PostgresError.unreadable(self, as: type, DecodingText.of(error))
    }
  }
}

/// An optional, which decodes its value as if there were none around it.
private protocol DecodedOptional {
  static func decoded(from value: FieldValue) throws -> Any
}

extension Optional: DecodedOptional where Wrapped: Decodable {
  fileprivate static func decoded(from value: FieldValue) throws -> Any {
    value.isNull(Wrapped.self) ? Self.none as Any : try value.decode(Wrapped.self)
  }
}

/// Errors of decoding in sentences.
enum DecodingText {
  static func of(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context: DecodingError.Context? =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(error)" }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return (path.isEmpty ? "" : "\(path): ") + context.debugDescription
  }
}
