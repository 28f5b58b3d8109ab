/// How values of one type serve as keys of groups: in their order if they have one, else by their hashes.
///
/// Values that do not equal themselves, such as NaN, are one key. Values without an order tie if their hashes are
/// equal, and `isSame` distinguishes them (G4).
///
/// Proof of sendability: as for `ValueOrder`.
struct KeyRule<Value>: @unchecked Sendable {
  let order: ValueOrder<Value>?
  private let equality: ValueEquality<Value>?
  /// Equal for values that are the same.
  let hash: (Value) -> UInt64

  init() {
    order = ValueOrder<Value>.ofType()
    equality = ValueEquality<Value>()
    func make<H: Hashable>(_: H.Type) -> (Value) -> UInt64 {
      // H is Value itself: it was found by casting the metatype.
      { keyHash(unsafeBitCast($0, to: H.self)) }
    }
    if let type = Value.self as? any Hashable.Type { hash = make(type) } else { hash = { _ in 0 } }
  }

  /// Whether equal abbreviations mean that two values tie.
  var isExact: Bool { order?.isExact ?? true }

  func abbreviate(_ value: Value) -> UInt64 { order?.abbreviate(value) ?? hash(value) }

  /// Negative, zero or positive.
  func compare(_ lhs: Value, _ rhs: Value) -> Int {
    if let order { return order.compare(lhs, rhs) }
    let (left, right) = (hash(lhs), hash(rhs))
    return left == right ? 0 : left < right ? -1 : 1
  }

  /// Whether both are one key.
  func isSame(_ lhs: Value, _ rhs: Value) -> Bool { equality?(lhs, rhs) ?? (compare(lhs, rhs) == 0) }
}
