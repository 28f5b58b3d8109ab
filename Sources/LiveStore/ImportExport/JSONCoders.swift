public import Foundation

extension JSONDecoder {
  /// Decodes a JSON value that the library's own parser has read: for text from outside, such as the body of
  /// a request.
  ///
  /// ```swift
  /// let post = try JSONDecoder().decode(Post.self, from: JSONValue(parsing: body))
  /// ```
  /// Foundation's parser accepts more than JSON, and ends the process at some numbers. It only gets text that
  /// our writer made (J2), and no deep text: each level takes some kilobytes of the stack. The standard
  /// library hashes keys, hashes the elements of sets, and compares names with those of an enumeration's
  /// cases: in time quadratic in the marks of a letter.
  /// - Throws: a `DecodingError`; also for more than 100 levels of arrays and objects, and for a key or a text one of whose
  ///   letters has more than 1,000 marks.
  /// - Complexity: O(*n*) for *n* bytes, plus the work of the type itself.
  public func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
    try requireReadable(value)
    return try decode(Value.self, fromReadable: value)
  }

  /// - Throws: a `DecodingError` if the value must not be decoded.
  func requireReadable(_ value: JSONValue, isOwn: Bool = false) throws {
    if let problem = value.problem(levels: Self.maximumLevels, isOwn: isOwn) {
      throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: problem))
    }
  }

  /// The same for a value that was encoded from an object: none of its keys and texts is refused.
  func decode<Value: Decodable>(_: Value.Type, fromOwn value: JSONValue) throws -> Value {
    try requireReadable(value, isOwn: true)
    return try decode(Value.self, fromReadable: value)
  }

  private func decode<Value: Decodable>(_: Value.Type, fromReadable value: JSONValue) throws -> Value {
    do {
      return try marked(for: value).decode(Value.self, from: value.data)
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

extension JSONDecoder {
  /// How many levels of arrays and objects a decoded value may have.
  fileprivate static let maximumLevels = 100
}

extension JSONValue {
  /// Why the value must not be decoded; nil if it may be.
  ///
  /// - Parameters:
  ///   - levels: how many levels of arrays and objects the value may have.
  ///   - isOwn: whether the value was encoded from an object.
  fileprivate func problem(levels: Int, isOwn: Bool) -> String? {
    switch self {
    case .string(let text):
      // A set would hash it, and an enumeration compare it with the names of its cases.
      return !isOwn && text.hasManyMarks ? "A letter has more than \(String.maximumMarks) marks." : nil
    case .array, .object:
      if levels == 0 { return "It nests more than \(JSONDecoder.maximumLevels) levels deep." }
    default: return nil
    }
    if case .array(let elements) = self {
      for element in elements {
        if let problem = element.problem(levels: levels - 1, isOwn: isOwn) { return problem }
      }
    }
    guard case .object(let object) = self else { return nil }
    for (key, value) in object {
      if !isOwn, key.hasManyMarks { return "A letter of a key has more than \(String.maximumMarks) marks." }
      if let problem = value.problem(levels: levels - 1, isOwn: isOwn) { return problem }
    }
    return nil
  }

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

  /// A value as JSON, with unchanged numbers in each ``JSONValue`` in it; ``JSONDecoder`` decodes it again.
  ///
  /// ```swift
  /// let body = try JSONEncoder().encodedValue(of: post).description
  /// ```
  /// - Throws: what the encoder throws; an error if the value nests more than 512 levels deep, or has a `Decimal` that is NaN.
  /// - Complexity: O(*n*) for *n* bytes, plus the work of the type itself.
  public func encodedValue(of value: some Encodable) throws -> JSONValue {
    try JSONValue(parsing: marked().text(of: value))
  }
}
