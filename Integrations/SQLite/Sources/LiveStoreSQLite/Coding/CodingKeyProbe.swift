/// Finds out which names are coding keys of a type: the first container that its `init(from:)` asks for has their type.
struct CodingKeyProbe: Decoder {
  /// What is known of the keys once there was a container.
  private final class Keys {
    var contain: ((String) -> Bool)?
  }

  private struct Ended: Error {}

  private let keys = Keys()

  /// The names that are coding keys of a type, in their order; none if that cannot be found out.
  static func keys<Value: Decodable>(of _: Value.Type, among names: [String]) -> [String] {
    let probe = CodingKeyProbe()
    _ = try? Value(from: probe)
    // Keys that take any text say nothing.
    guard let contain = probe.keys.contain, !contain("\0 no key") else { return [] }
    return names.filter(contain)
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    keys.contain = { Key(stringValue: $0) != nil }
    throw Ended()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Ended() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Ended() }
}
