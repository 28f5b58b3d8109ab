/// A bound of the values that can pass a condition.
package enum ValueBound<Value: Sendable>: Sendable {
  case inclusive(Value)
  case exclusive(Value)

  init(_ value: Value, isInclusive: Bool) { self = isInclusive ? .inclusive(value) : .exclusive(value) }

  /// The value at the bound.
  var value: Value {
    switch self {
    case .inclusive(let value), .exclusive(let value): value
    }
  }

  var isInclusive: Bool { if case .inclusive = self { true } else { false } }
}

extension ValueBound: Equatable where Value: Equatable {}
extension ValueBound: Hashable where Value: Hashable {}
