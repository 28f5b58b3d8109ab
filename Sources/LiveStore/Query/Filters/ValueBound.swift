/// A bound of the values that can pass a condition.
enum ValueBound<Value: Sendable>: Sendable {
  case inclusive(Value)
  case exclusive(Value)

  init(_ value: Value, isInclusive: Bool) { self = isInclusive ? .inclusive(value) : .exclusive(value) }
}
