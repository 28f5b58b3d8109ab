import Foundation
import LiveStore

/// Decodes the values of `json` and `jsonb`.
enum JSONColumn {
  /// Foundation's decoder. Dates are texts in ISO 8601, or numbers as `JSONEncoder` writes them by default.
  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let value = try decoder.singleValueContainer()
      guard let text = try? value.decode(String.self) else {
        return Date(timeIntervalSinceReferenceDate: try value.decode(Double.self))
      }
      if let date = Self.date(text) { return date }
      throw DecodingError.dataCorruptedError(
        in: value, debugDescription: "The text \(text.beginning) is no date.")
    }
    return decoder
  }()

  private static func date(_ text: String) -> Date? {
    var utf8 = text
    return utf8.withUTF8 { PostgresInstant(UnsafeRawBufferPointer($0))?.date }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ value: FieldValue) throws -> Value {
    // What others have written into a row is parsed before Foundation gets it.
    let json = try json(value)
    let decoded = try decoder.decode(type, from: json)
    if roundsDecimal(type, json) {
      throw PostgresError.unreadable(value, as: type, "A Decimal has 38 digits, and a number of it has more.")
    }
    return decoded
  }

  /// Whether a type reads a number as a `Decimal` that has more digits, of which Foundation leaves out the last ones.
  ///
  /// Of the types that numbers are read as, `Decimal` alone refuses 1e200 and accepts 1e100.
  private static func roundsDecimal<Value: Decodable>(_ type: Value.Type, _ json: JSONValue) -> Bool {
    guard json.hasLongNumbers else { return false }
    func accepts(_ number: JSONValue) -> Bool {
      (try? decoder.decode(type, from: json.replacingLongNumbers(by: number))) != nil
    }
    return !accepts(1e200) && accepts(1e100)
  }

  static func json(_ value: FieldValue) throws -> JSONValue {
    guard let text = value.text else { throw PostgresError.unreadable(value, as: JSONValue.self) }
    return try JSONValue(parsing: text, refusingEquivalentKeys: true)
  }

  /// The decoder of a value, for those who decode its members one by one.
  static func decoder(_ value: FieldValue) throws -> any Decoder { try decode(Passed.self, value).decoder }

  private struct Passed: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
  }
}

extension JSONValue {
  fileprivate var hasLongNumbers: Bool {
    switch self {
    case .number(let number): number.isLong
    case .array(let elements): elements.contains(where: \.hasLongNumbers)
    case .object(let object): object.contains { $0.value.hasLongNumbers }
    default: false
    }
  }

  fileprivate func replacingLongNumbers(by other: JSONValue) -> JSONValue {
    switch self {
    case .number(let number) where number.isLong: other
    case .array(let elements): .array(elements.map { $0.replacingLongNumbers(by: other) })
    case .object(let object):
      .object(JSONObject(object.map { ($0.key, $0.value.replacingLongNumbers(by: other)) }))
    default: self
    }
  }
}

extension JSONNumber {
  /// Whether neither a `Decimal` nor an integer of 128 bits has the number exactly, nor is it as short as that of a double.
  fileprivate var isLong: Bool {
    if JSONNumber(double) == self { return false }
    let text = description
    return ExactDecimal.decimal(text) == nil && Int128(text) == nil && UInt128(text) == nil
  }
}
