import Foundation

/// The values at one path, for conditions that compare them: made once for a stored property.
final class ComparedValues<Value>: Sendable {
  private let order: ValueOrder<Value>?
  private let hash: ValueHash<Value>?
  private let accessor: Accessor<Value>
  private let values: SearchedValues
  private let isOrderConsistent: Bool
  private let isWithoutNaN: Bool

  init(_ path: Term, _ accessor: Accessor<Value>) {
    let order = ValueOrder<Value>.ofType()
    let hash = ValueHash<Value>()
    self.order = order
    self.hash = hash
    self.accessor = accessor
    isOrderConsistent = order?.isConsistent ?? false
    isWithoutNaN = LiveStore.isWithoutNaN(Value.self)
    let relation = Value.self as? any RelationValue.Type
    var abbreviation, hashing: (@Sendable (UnsafeRawPointer, ReadContext) -> UInt64)?
    if let order { abbreviation = { order.abbreviate(accessor.read($0, $1)) } }
    if let hash { hashing = { hash(accessor.read($0, $1)) } }
    values = SearchedValues(
      path, isByReference: relation.map { $0.cardinality != .many } ?? false,
      isConsistent: order?.isConsistent ?? (relation != nil), abbreviate: abbreviation, hash: hashing,
      missing: SearchArgument.Bound(behindMissing: accessor))
  }
}

extension ComparedValues where Value: Sendable {
  /// The rows whose value is one of some values.
  ///
  /// - Parameter others: the only values that can pass; all of them do, except NaN.
  func equal(_ others: [Value]) -> SearchArgument {
    var candidates = SearchArgument(values)
    candidates.areValues = true
    candidates.isBehindMissing = isOrderConsistent
    candidates.isExact = isOrderConsistent && !others.contains(where: isNaN)
    if let hash { candidates.hashes = others.map { hash($0) } }
    if order != nil {
      candidates.keyRanges = others.map { value in
        let bound = bound(value, isInclusive: true)
        return SearchArgument.KeyRange(lower: bound, upper: bound)
      }
    }
    return candidates
  }

  /// The rows whose value is above a bound, or equal to it.
  func above(_ lower: Value, isInclusive: Bool) -> SearchArgument {
    between(bound(lower, isInclusive: isInclusive), nil, areAll: true, isNaN: isNaN(lower))
  }

  /// The rows whose value is below a bound, or equal to it.
  func below(_ upper: Value, isInclusive: Bool) -> SearchArgument {
    between(nil, bound(upper, isInclusive: isInclusive), areAll: true, isNaN: isNaN(upper))
  }

  /// The rows whose value lies between bounds.
  ///
  /// - Parameters:
  ///   - lower: the lower bound; nil for none.
  ///   - upper: the upper bound; nil for none.
  ///   - areAll: whether all values between the bounds pass, except NaN and nil.
  func between(_ lower: ValueBound<Value>?, _ upper: ValueBound<Value>?, areAll: Bool) -> SearchArgument {
    between(
      lower.flatMap { bound($0.value, isInclusive: $0.isInclusive) },
      upper.flatMap { bound($0.value, isInclusive: $0.isInclusive) }, areAll: areAll,
      isNaN: (lower.map { isNaN($0.value) } ?? false) || (upper.map { isNaN($0.value) } ?? false))
  }

  private func between(
    _ lower: SearchArgument.Bound?, _ upper: SearchArgument.Bound?, areAll: Bool, isNaN: Bool
  ) -> SearchArgument {
    var candidates = SearchArgument(values)
    candidates.isBehindMissing = areAll && isOrderConsistent
    candidates.isExact = areAll && isOrderConsistent && !isNaN
    if order != nil { candidates.keyRanges = [SearchArgument.KeyRange(lower: lower, upper: upper)] }
    return candidates
  }

  /// Nil for values without an order.
  private func bound(_ value: Value, isInclusive: Bool) -> SearchArgument.Bound? {
    guard let order else { return nil }
    let accessor = accessor
    return SearchArgument.Bound(
      abbreviation: order.abbreviate(value), isInclusive: isInclusive,
      compare: { order.compare(accessor.read($0, $1), value) })
  }

  private func isNaN(_ value: Value) -> Bool { !isWithoutNaN && holdsNaN(value) }
}

extension SearchArgument.Bound {
  /// The bound behind nil and NaN, which come before all other values; nil for a type that has neither.
  fileprivate init?<Value>(behindMissing accessor: Accessor<Value>) {
    func hasNaN<V>(_: V.Type) -> Bool { V.self == Double.self || V.self == Float.self || V.self == Date.self }
    func ofOptional<O: OptionalValue>(_: O.Type) -> UInt64 { hasNaN(O.Wrapped.self) ? 1 << 63 : 0 }
    if let optional = Value.self as? any OptionalValue.Type {
      abbreviation = ofOptional(optional)
    } else if hasNaN(Value.self) {
      abbreviation = 1
    } else {
      return nil
    }
    isInclusive = false
    compare = { row, context in
      let value = accessor.read(row, context)
      return (value as? any OptionalValue)?.isNil ?? false || holdsNaN(value) ? 0 : 1
    }
  }
}
