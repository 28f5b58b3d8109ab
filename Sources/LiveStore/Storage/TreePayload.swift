/// What the entries of a tree store beside their keys.
package enum TreePayload: Hashable, Sendable {
  case nothing
  case stamp
  case value(ObjectIdentifier)

  static func value<Value>(of _: Value.Type) -> TreePayload { .value(ObjectIdentifier(Value.self)) }
}
