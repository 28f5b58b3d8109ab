/// Decodes one value for the types that do so themselves: enumerations, links, arrays, and JSON.
struct FieldDecoder: Decoder {
  enum Source {
    case value(FieldValue)
    case null(ColumnPlace)
    /// The part of an array that begins at an element, below so many dimensions.
    case part(ArrayValue, dimension: Int, first: Int)
  }

  private let source: Source

  init(_ source: Source) { self.source = source }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if case .value(let value) = source, value.isJSON {
      return try JSONColumn.decoder(value).container(keyedBy: type)
    }
    throw mismatch([String: Any].self, "Members are in columns of json and jsonb alone.")
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    switch source {
    case .part(let array, let dimension, let first):
      return ArrayElements(array, dimension: dimension, first: first)
    case .value(let value) where value.type.kind == .array:
      guard let array = ArrayValue(value) else { throw mismatch([Any].self) }
      return ArrayElements(array, dimension: 0, first: 0)
    case .value(let value) where value.isJSON: return try JSONColumn.decoder(value).unkeyedContainer()
    case .value, .null: throw mismatch([Any].self)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    switch source {
    case .value(let value): return SingleField(value: value, place: value.place)
    case .null(let place): return SingleField(value: nil, place: place)
    case .part(let array, let dimension, let first):
      return SinglePart(decoder: self, array: array, dimension: dimension, first: first)
    }
  }

  private func mismatch(_ type: any Any.Type, _ reason: String? = nil) -> PostgresError {
    switch source {
    case .value(let value): .unreadable(value, as: type, reason)
    case .null(let place): .isNull(place, type)
    case .part(let array, let dimension, _): array.mismatch(type, dimension)
    }
  }
}

extension ArrayValue {
  /// The beginning of a short one for errors: a number of few bytes may have a text of many digits.
  fileprivate var shown: String? { bytes.count <= 4_096 ? text?.beginning : nil }

  func mismatch(_ type: any Any.Type, _ dimension: Int) -> PostgresError {
    PostgresError(
      PostgresError.mismatch,
      "The array in column \(place.column) of table \(place.table) has \(sizes.count) dimensions, so an element of"
        + " dimension \(dimension) cannot be read as \(type).", table: place.table, column: place.column,
      value: shown)
  }
}

private struct SingleField: SingleValueDecodingContainer {
  let value: FieldValue?
  let place: ColumnPlace
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { value == nil }

  private func present(_ type: any Any.Type) throws -> FieldValue {
    guard let value else { throw PostgresError.isNull(place, type) }
    return value
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let value { return try value.decode(type) }
    guard type is any ExpressibleByNilLiteral.Type else { throw PostgresError.isNull(place, type) }
    return try Value(from: FieldDecoder(.null(place)))
  }

  func decode(_ type: Int128.Type) throws -> Int128 { try present(type).integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try present(type).integer(type) }
}

/// An array within an array, as a value.
private struct SinglePart: SingleValueDecodingContainer {
  let decoder: FieldDecoder
  let array: ArrayValue
  let dimension: Int
  let first: Int
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { false }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try array.decode(type, dimension, first, decoder)
  }
}

extension ArrayValue {
  /// Decodes an array within this one. Single values ask for themselves again, which has no end.
  fileprivate func decode<Value: Decodable>(
    _ type: Value.Type, _ dimension: Int, _ first: Int, _ decoder: FieldDecoder
  ) throws -> Value {
    if type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type || type == String.self
      || type == Bool.self
    {
      throw mismatch(type, dimension)
    }
    return try Value(from: decoder)
  }
}

/// The elements of one dimension of an array.
private struct ArrayElements: UnkeyedDecodingContainer {
  private let array: ArrayValue
  private let dimension: Int
  private let first: Int
  /// The number of the values in each element.
  private let stride: Int
  private let size: Int
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }

  init(_ array: ArrayValue, dimension: Int, first: Int) {
    (self.array, self.dimension, self.first) = (array, dimension, first)
    size = array.sizes.isEmpty ? 0 : array.sizes[dimension]
    stride = array.sizes.dropFirst(dimension + 1).reduce(1, *)
  }

  var count: Int? { size }
  var isAtEnd: Bool { currentIndex == size }

  private func decoder() throws -> FieldDecoder {
    guard currentIndex < size else {
      throw PostgresError(
        PostgresError.mismatch,
        "The array in column \(array.place.column) of table \(array.place.table) has \(size) elements and no more.",
        table: array.place.table, column: array.place.column, value: array.shown)
    }
    let index = first + currentIndex * stride
    if dimension + 1 < array.sizes.count {
      return FieldDecoder(.part(array, dimension: dimension + 1, first: index))
    }
    return FieldDecoder(array.element(index).map { .value($0) } ?? .null(array.place))
  }

  mutating func decodeNil() throws -> Bool {
    guard currentIndex < size, dimension + 1 >= array.sizes.count,
      array.fields[first + currentIndex].form == .null
    else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try decoder().singleValueContainer().decode(type)
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }

  private mutating func wide<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let isPart = dimension + 1 < array.sizes.count
    guard currentIndex < size, !isPart, let element = array.element(first + currentIndex) else {
      throw isPart ? array.mismatch(type, dimension) : PostgresError.isNull(array.place, type)
    }
    let number = try element.integer(type)
    currentIndex += 1
    return number
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
    -> KeyedDecodingContainer<Nested>
  {
    try superDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try decoder()
    currentIndex += 1
    return decoder
  }
}
