/// The properties of an object as they are, by the names that it encodes them with.
///
/// They complete a row of which an update left out large values that did not change. Nothing is serialised: an encoder
/// that only remembers what it is given lets the object name its properties.
package struct CapturedValues {
  private let values: [String: Any]
  /// Properties that the object encodes as nil.
  private let absent: Set<String>

  package init(of object: some Encodable) throws {
    let capture = Capture()
    try object.encode(to: CapturingEncoder(capture: capture, isWhole: true))
    (values, absent) = (capture.values, capture.absent)
  }

  enum Value {
    case value(Any)
    case absent
    /// The object does not encode the property, or in parts of its own, so that there is no value to remember.
    case unknown
  }

  subscript(property: String) -> Value {
    if let value = values[property] { return .value(value) }
    return absent.contains(property) ? .absent : .unknown
  }
}

/// What is collected. It is used by one encoder at a time.
private final class Capture {
  var values: [String: Any] = [:]
  var absent: Set<String> = []
}

private struct CapturingEncoder: Encoder {
  let capture: Capture
  /// Whether this encodes the object, rather than a part of it, of which nothing is remembered.
  let isWhole: Bool
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CapturingMembers(capture: capture, isWhole: isWhole))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { IgnoringElements(capture: capture) }

  func singleValueContainer() -> any SingleValueEncodingContainer { IgnoringValue() }
}

private struct CapturingMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let capture: Capture
  let isWhole: Bool
  var codingPath: [any CodingKey] { [] }

  /// An object that encodes a property if it is present says so of its absence, too.
  private func capture(_ value: (some Encodable)?, _ key: Key) {
    if !isWhole { return }
    if let value { capture.values[key.stringValue] = value } else { capture.absent.insert(key.stringValue) }
  }

  mutating func encodeNil(forKey key: Key) {
    if isWhole { capture.absent.insert(key.stringValue) }
  }

  mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Float?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) { capture(value, key) }
  mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) { capture(value, key) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  mutating func encode(_ value: Int128, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  mutating func encode(_ value: UInt128, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  private var part: CapturingEncoder { CapturingEncoder(capture: capture, isWhole: false) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    part.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    part.unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { part }

  mutating func superEncoder(forKey key: Key) -> any Encoder { part }
}

private struct IgnoringElements: UnkeyedEncodingContainer {
  let capture: Capture
  private(set) var count = 0
  var codingPath: [any CodingKey] { [] }

  init(capture: Capture) { self.capture = capture }

  mutating func encodeNil() { count += 1 }
  mutating func encode<Value: Encodable>(_ value: Value) { count += 1 }
  mutating func encode(_ value: Int128) { count += 1 }
  mutating func encode(_ value: UInt128) { count += 1 }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<
    Nested
  > {
    superEncoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return CapturingEncoder(capture: capture, isWhole: false)
  }
}

private struct IgnoringValue: SingleValueEncodingContainer {
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil() {}
  mutating func encode<Value: Encodable>(_ value: Value) {}
  mutating func encode(_ value: Int128) {}
  mutating func encode(_ value: UInt128) {}
}
