/// The store's operations on the values of one property, given rows.
package struct PropertyFunctions: Sendable {
  let sameness: Sameness
  package let value: @Sendable (UnsafeRawPointer) -> any Sendable
  package let isNil: @Sendable (UnsafeRawPointer) -> Bool
  package let abbreviate: (@Sendable (UnsafeRawPointer) -> UInt64)?
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  /// Whether equal abbreviations mean equal values.
  package let isExact: Bool
  /// Whether the type is known to have a consistent ordering.
  package let isConsistent: Bool
  package let hash: (@Sendable (UnsafeRawPointer) -> UInt64)?

  init<Value: Equatable & Sendable>(_ reader: ObjectReader<Value>) {
    let read: @Sendable (UnsafeRawPointer) -> Value = { reader.read($0) }
    sameness = Sameness(reader)
    value = { read($0) }
    isNil = { (read($0) as? any OptionalValue)?.isNil ?? false }
    let order = ValueOrder<Value>.ofType()
    isExact = order?.isExact ?? false
    isConsistent = order?.isConsistent ?? false
    if let order {
      abbreviate = { order.abbreviate(read($0)) }
      compare = { order.compare(read($0), read($1)) }
    } else {
      abbreviate = nil
      compare = nil
    }
    let valueHash = ValueHash<Value>(hashesLists: true)
    if let valueHash { hash = { valueHash(read($0)) } } else { hash = nil }
  }
}

extension PropertyFunctions {
  /// Whether two rows have the same value.
  package func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool { sameness.isSame(lhs, rhs) }
}

extension OptionalValue {
  var isNil: Bool { wrapped == nil }
}
