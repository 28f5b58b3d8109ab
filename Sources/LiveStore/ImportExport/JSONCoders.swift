import Foundation

extension JSONDecoder {
  /// Decodes a value of a text that the library's own parser has read.
  ///
  /// Foundation's parser accepts more than JSON, and ends the process for some numbers. It only gets text that our
  /// writer made (J2).
  func decode<Value: Decodable>(_: Value.Type, from value: JSONValue) throws -> Value {
    do {
      return try decode(Value.self, from: value.data)
    } catch {
      throw Self.located(error, in: value) { _ = try decode(Value.self, from: $0.data) }
    }
  }

  /// Decodes a member of an object.
  ///
  /// - Throws: a `DecodingError` with the member's key in its path.
  func decode<Value: Decodable>(_: Value.Type, from value: JSONValue, at key: String) throws -> Value {
    guard let decoded = try decode([String: Value].self, from: [key: value])[key] else {
      throw DecodingError.valueNotFound(
        Value.self, DecodingError.Context(codingPath: [], debugDescription: "There is no \(key)."))
    }
    return decoded
  }
}

extension JSONValue {
  /// The value as compact JSON text.
  fileprivate var data: Data {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return Data(bytes)
  }
}

extension JSONEncoder {
  /// An encoder with the strategies of a decoder, except for custom ones and date formatters.
  convenience init(matching decoder: JSONDecoder) {
    self.init()
    userInfo = decoder.userInfo
    if case .convertFromSnakeCase = decoder.keyDecodingStrategy { keyEncodingStrategy = .convertToSnakeCase }
    if case .deferredToData = decoder.dataDecodingStrategy { dataEncodingStrategy = .deferredToData }
    if case .convertFromString(let positive, let negative, let nan) = decoder
      .nonConformingFloatDecodingStrategy
    {
      nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: positive, negativeInfinity: negative, nan: nan)
    }
    switch decoder.dateDecodingStrategy {
    case .secondsSince1970: dateEncodingStrategy = .secondsSince1970
    case .millisecondsSince1970: dateEncodingStrategy = .millisecondsSince1970
    case .iso8601: dateEncodingStrategy = .iso8601
    default: break
    }
  }

  /// A value as JSON.
  func encodedValue(of value: some Encodable) throws -> JSONValue {
    try JSONValue(parsing: encode(value))
  }
}
