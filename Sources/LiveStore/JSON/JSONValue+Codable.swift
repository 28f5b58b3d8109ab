// Coders support only integers and doubles. Where this library calls Foundation's coders, `ExactNumbers`
// encodes other numbers exactly; other coders encode such a number as the nearest double.

extension JSONValue: Codable {
  /// Decodes whatever value there is.
  ///
  /// Numbers are exact in imports and where `JSONDecoder` decodes a ``JSONValue``, unless it has a custom strategy for keys. Other
  /// decoders give the nearest double of a number that is no integer of 64 bits.
  /// - Throws: `DecodingError.dataCorrupted` if the decoder has none of JSON's types here.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = ExactNumbers.number(in: decoder), let double = try? container.decode(Double.self),
      double == number.double
    {
      self = .number(number)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self.init(value)
    } else if let value = try? container.decode(UInt64.self) {
      self.init(value)
    } else if let value = try? container.decode(Double.self), value.isFinite {
      self.init(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else if let value = try? container.decode([String: JSONValue].self) {
      // By bytes, since composing texts with many marks takes long.
      let members = value.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      self = .object(JSONObject(members.map { (key: $0.key, value: $0.value) }))
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no JSON value here.")
    }
  }

  /// Encodes the value with its own type.
  ///
  /// Numbers are exact in exports and in `JSONEncoder.encodedValue(of:)`. For a number that is neither a
  /// 64-bit integer nor a double, other encoders get the nearest double.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: Member.self)
      for (key, value) in object { try container.encode(value, forKey: Member(stringValue: key)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let number):
      var container = encoder.singleValueContainer()
      if let integer = number.integer {
        try container.encode(integer)
      } else if let integer = UInt64(number.description) {
        try container.encode(integer)
      } else if case .decimal = number.storage, let text = ExactNumbers.standIn(for: number, in: encoder) {
        try container.encode(text)
      } else {
        try container.encode(number.double)
      }
    }
  }

  /// A member of an object, by its key.
  private struct Member: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      nil
    }
  }
}
