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
    return try decoder.decode(type, from: json(value))
  }

  static func json(_ value: FieldValue) throws -> JSONValue {
    guard let text = value.text else { throw PostgresError.unreadable(value, as: JSONValue.self) }
    return try JSONValue(parsing: text)
  }

  /// The decoder of a value, for those who decode its members one by one.
  static func decoder(_ value: FieldValue) throws -> any Decoder { try decode(Passed.self, value).decoder }

  private struct Passed: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
  }
}
