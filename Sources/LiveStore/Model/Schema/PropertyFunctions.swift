/// The store's operations on the values of one property, given rows.
package struct PropertyFunctions: Sendable {
  let sameness: Sameness
  package let value: @Sendable (UnsafeRawPointer) -> any Sendable
  package let isNil: @Sendable (UnsafeRawPointer) -> Bool
  /// Whether some value is nil.
  let isOptional: Bool
  package let abbreviate: (@Sendable (UnsafeRawPointer) -> UInt64)?
  package let compare: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Int)?
  /// Whether equal abbreviations mean equal values.
  package let isExact: Bool
  /// Whether the type is known to have a consistent ordering.
  package let isConsistent: Bool
  package let hash: (@Sendable (UnsafeRawPointer) -> UInt64)?
  /// A value, perhaps wrapped in an optional, that rows are compared with; nil if it is none of the property's type.
  package let key: @Sendable (Constant) -> PropertyKey?

  init<Value: Equatable & Sendable>(_ reader: ObjectReader<Value>) {
    let read: @Sendable (UnsafeRawPointer) -> Value = { reader.read($0) }
    sameness = Sameness(reader)
    value = { read($0) }
    isOptional = Value.self is any OptionalValue.Type
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
    key = { constant in
      guard let value = constant.value(as: Value.self) else { return nil }
      var compare: (@Sendable (UnsafeRawPointer) -> Int)?
      if let order { compare = { row in order.compare(read(row), value) } }
      return PropertyKey(
        abbreviation: order?.abbreviate(value), hash: valueHash?(value), compare: compare)
    }
  }
}

extension PropertyFunctions {
  /// Whether two rows have the same value.
  package func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool { sameness.isSame(lhs, rhs) }
}

/// A value of a property, to search an index for.
package struct PropertyKey: Sendable {
  package let abbreviation: UInt64?
  package let hash: UInt64?
  /// Compares the value of a row with the key.
  package let compare: (@Sendable (UnsafeRawPointer) -> Int)?
}

extension OptionalValue {
  var isNil: Bool { wrapped == nil }
}
