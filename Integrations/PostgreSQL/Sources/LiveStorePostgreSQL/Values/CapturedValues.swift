/// The properties of an object as they are, by the names that it encodes them with.
///
/// They complete a row of which an update left out large values that did not change. Nothing is serialised: an encoder
/// that only remembers what it is given lets the object name its properties.
package struct CapturedValues {
  private let values: [String: Any]
  /// Properties that the object encodes in parts of its own, so that there is no value to remember.
  private let parts: Set<String>

  package init(of object: some Encodable) throws {
    let capture = Capture()
    try object.encode(to: CapturingEncoder(capture: capture, isWhole: true))
    (values, parts) = (capture.values, capture.parts)
  }

  enum Value {
    case value(Any)
    case absent
    /// The object encodes the property in parts.
    case unknown
  }

  subscript(property: String) -> Value {
    if let value = values[property] { return .value(value) }
    return parts.contains(property) ? .unknown : .absent
  }
}

/// What is collected. It is used by one encoder at a time.
private final class Capture {
  var values: [String: Any] = [:]
  var parts: Set<String> = []
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

  mutating func encodeNil(forKey key: Key) {}

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  mutating func encode(_ value: Int128, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  mutating func encode(_ value: UInt128, forKey key: Key) {
    if isWhole { capture.values[key.stringValue] = value }
  }

  private func part(_ name: String) -> CapturingEncoder {
    if isWhole { capture.parts.insert(name) }
    return CapturingEncoder(capture: capture, isWhole: false)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
    -> KeyedEncodingContainer<Nested>
  {
    part(key.stringValue).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    part(key.stringValue).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { part("super") }

  mutating func superEncoder(forKey key: Key) -> any Encoder { part(key.stringValue) }
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
