import Foundation
import LiveStore

/// Encodes a value as columns and JSON: numbers, texts, bytes, dates and ids stay values of their own, and everything
/// else becomes arrays and objects of them.
final class ValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.none
  /// The members that hold others, by the bytes of their keys.
  private var containers: [[UInt8]: ValueEncoder] = [:]

  private enum Content {
    case none
    case single(CodedValue)
    case array([Slot])
    case object([(key: String, slot: Slot)])
  }

  /// An element, or the encoder of one that is complete later.
  private enum Slot {
    case value(CodedValue)
    case encoder(ValueEncoder)

    var value: CodedValue {
      switch self {
      case .value(let value): value
      case .encoder(let encoder): encoder.value
      }
    }
  }

  init(codingPath: [any CodingKey] = []) { self.codingPath = codingPath }

  /// The properties of an object, by the keys that it encodes them with.
  ///
  /// - Throws: what the object's own `encode(to:)` throws; `EncodingError` if it does not encode itself with keys, or has
  ///   more levels of arrays and objects than can be read.
  static func properties(of object: some Encodable) throws -> [(key: String, value: CodedValue)] {
    let encoder = ValueEncoder()
    try object.encode(to: encoder)
    switch encoder.content {
    case .object(let members):
      return try members.map { key, slot in
        (key, try readable(slot.value, at: [ElementKey(stringValue: key)]))
      }
    case .none: return []
    case .single, .array:
      throw EncodingError.invalidValue(
        object,
        EncodingError.Context(
          codingPath: [], debugDescription: "The object has no keys that could be columns."))
    }
  }

  /// A value that can be read: it has no more levels of arrays and objects, and no key that would take long to hash.
  static func readable(_ value: CodedValue, at path: @autoclosure () -> [any CodingKey]) throws -> CodedValue
  {
    let reason: String
    if value.isDeeper(than: CodedValue.maximumDepth) {
      reason = "It has more than \(CodedValue.maximumDepth) levels of arrays and objects."
    } else if value.hasUnreadableKey {
      reason = manyMarks
    } else {
      return value
    }
    throw unreadable(reason, at: path())
  }

  private static let manyMarks = "A letter has more than \(String.maximumMarks) marks."

  private static func unreadable(_ reason: String, at path: [any CodingKey]) -> EncodingError {
    // Without the value, whose text would be as long.
    .invalidValue(CodedValue.self, EncodingError.Context(codingPath: path, debugDescription: reason))
  }

  /// A value encoded by itself.
  static func coded<Value: Encodable>(_ value: Value, at path: @autoclosure () -> [any CodingKey]) throws
    -> CodedValue
  {
    // Comparing types is quicker than casting; where a value is taken for one of another type, the types are the same.
    func taken<Other>(as type: Other.Type) -> Other { unsafeBitCast(value, to: type) }
    let type = Value.self
    if type == String.self { return .column(.text(taken(as: String.self))) }
    if type == UUID.self { return .uuid(taken(as: UUID.self)) }
    if type == Date.self { return .column(DateText.column(of: taken(as: Date.self))) }
    if type == Int.self { return .column(.integer(Int64(taken(as: Int.self)))) }
    if type == Bool.self { return .bool(taken(as: Bool.self)) }
    if type == Double.self { return coded(taken(as: Double.self)) }
    if type == Data.self { return .column(.blob(Array(taken(as: Data.self)))) }
    if type == Decimal.self { return try coded(taken(as: Decimal.self), at: path()) }
    if type == JSONValue.self { return .json(taken(as: JSONValue.self)) }
    if type == URL.self {
      let url = taken(as: URL.self)
      if url.relativeString.isEmpty { throw unreadable("An empty URL cannot be read again.", at: path()) }
      if url.baseURL == nil { return .column(.text(url.absoluteString)) }
    }
    let encoder = ValueEncoder(codingPath: path())
    try value.encode(to: encoder)
    let coded = encoder.value
    if type is any HashedElements.Type {
      if coded.hasUnreadableElement { throw unreadable(manyMarks, at: path()) }
    } else if DecodedValue.isFoundByName(type), case .column(.text(let text)) = coded, text.hasManyMarks {
      throw unreadable(manyMarks, at: path())
    }
    return coded
  }

  /// - Throws: `EncodingError` if Foundation does not read the text of the number as the same number.
  private static func coded(_ value: Decimal, at path: @autoclosure () -> [any CodingKey]) throws
    -> CodedValue
  {
    let text = value.isNaN ? "nan" : "\(value)"
    if DecodedValue.decimal(.column(.text(text))) == value { return .column(.text(text)) }
    throw EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: path(), debugDescription: "The number cannot be written as text: \(text)."))
  }

  static func coded(_ value: Double) -> CodedValue {
    // SQLite has no NaN.
    .column(value.isNaN ? .text("nan") : .real(value))
  }

  static func coded(_ value: some FixedWidthInteger) -> CodedValue {
    .column(Int64(exactly: value).map(ColumnValue.integer) ?? .text("\(value)"))
  }

  private var value: CodedValue {
    switch content {
    // As Foundation's encoders have it.
    case .none: .object([])
    case .single(let value): value
    case .array(let slots): .array(slots.map(\.value))
    case .object(let members): .object(members.map { (key: $0.key, value: $0.slot.value) })
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = content {} else { content = .object([]) }
    return KeyedEncodingContainer(KeyedValues(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = content {} else { content = .array([]) }
    return UnkeyedValues(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValue(encoder: self) }

  fileprivate func set(_ value: CodedValue) { content = .single(value) }

  fileprivate func add(_ value: CodedValue, _ key: String) { add(.value(value), key) }

  fileprivate func append(_ value: CodedValue) { append(.value(value)) }

  fileprivate var count: Int {
    if case .array(let slots) = content { slots.count } else { 0 }
  }

  /// The encoder of a member that holds others: the one before, if the member was begun.
  fileprivate func containerEncoder(at key: any CodingKey) -> ValueEncoder {
    let name = Array(key.stringValue.utf8)
    if let encoder = containers[name] { return encoder }
    let encoder = encoder(at: key)
    containers[name] = encoder
    return encoder
  }

  /// The encoder of a member that is complete later.
  fileprivate func encoder(at key: any CodingKey) -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: codingPath + [key])
    add(.encoder(encoder), key.stringValue)
    return encoder
  }

  /// The encoder of an element that is complete later.
  fileprivate func elementEncoder() -> ValueEncoder {
    let encoder = ValueEncoder(codingPath: codingPath + [ElementKey(count)])
    append(.encoder(encoder))
    return encoder
  }

  private func add(_ slot: Slot, _ key: String) {
    guard case .object(var members) = content else { return }
    // Keeps the array uniquely referenced.
    content = .none
    members.append((key, slot))
    content = .object(members)
  }

  private func append(_ slot: Slot) {
    guard case .array(var slots) = content else { return }
    content = .none
    slots.append(slot)
    content = .array(slots)
  }
}

private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.add(.column(.null), key.stringValue) }
  func encode(_ value: Bool, forKey key: Key) { encoder.add(.bool(value), key.stringValue) }
  func encode(_ value: String, forKey key: Key) { encoder.add(.column(.text(value)), key.stringValue) }
  func encode(_ value: Double, forKey key: Key) { encoder.add(ValueEncoder.coded(value), key.stringValue) }
  func encode(_ value: Float, forKey key: Key) { encode(Double(value), forKey: key) }
  func encode(_ value: Int, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: Int8, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: Int16, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: Int32, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: Int64, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt8, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt16, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt32, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt64, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: Int128, forKey key: Key) { encodeInteger(value, key) }
  func encode(_ value: UInt128, forKey key: Key) { encodeInteger(value, key) }

  private func encodeInteger(_ value: some FixedWidthInteger, _ key: Key) {
    encoder.add(ValueEncoder.coded(value), key.stringValue)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    encoder.add(try ValueEncoder.coded(value, at: codingPath + [key]), key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    encoder.containerEncoder(at: key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.containerEncoder(at: key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder.encoder(at: ElementKey.parent) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.encoder(at: key) }
}

private struct UnkeyedValues: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  func encodeNil() { encoder.append(.column(.null)) }
  func encode(_ value: Int128) { encoder.append(ValueEncoder.coded(value)) }
  func encode(_ value: UInt128) { encoder.append(ValueEncoder.coded(value)) }
  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.append(try ValueEncoder.coded(value, at: codingPath + [ElementKey(count)]))
  }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder.elementEncoder().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.elementEncoder().unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder.elementEncoder() }
}

private struct SingleValue: SingleValueEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.set(.column(.null)) }
  func encode(_ value: Bool) { encoder.set(.bool(value)) }
  func encode(_ value: String) { encoder.set(.column(.text(value))) }
  func encode(_ value: Double) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Float) { encode(Double(value)) }
  func encode(_ value: Int) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Int8) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Int16) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Int32) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Int64) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt8) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt16) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt32) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt64) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: Int128) { encoder.set(ValueEncoder.coded(value)) }
  func encode(_ value: UInt128) { encoder.set(ValueEncoder.coded(value)) }
  func encode<Value: Encodable>(_ value: Value) throws {
    encoder.set(try ValueEncoder.coded(value, at: codingPath))
  }
}
