/// Up to this many values are compared one by one, by `==` alone.
let maximumComparedValues = 8

/// A fixed set of values, looked up by hash if there are many and they are hashable.
///
/// Proof of sendability: as for `ValueOrder`; the set never changes and its members are Sendable.
package struct ValueSet<Value: Equatable & Sendable>: @unchecked Sendable {
  package let contains: (Value) -> Bool

  package init(_ values: [Value]) {
    func make<H: Hashable>(_: H.Type) -> (Value) -> Bool {
      // H is Value itself, as above.
      let set = Set(values.map { unsafeBitCast($0, to: H.self) })
      return { set.contains(unsafeBitCast($0, to: H.self)) }
    }
    if values.count > maximumComparedValues, let hashable = Value.self as? any Hashable.Type {
      contains = make(hashable)
    } else {
      contains = { value in values.contains { value == $0 } }
    }
  }
}
