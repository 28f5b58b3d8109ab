public import Foundation

// Row masks are built where the filter is written, so that their loops are compiled for the value's type: the user's
// module is never this one, and a loop that runs once a row cannot afford witness tables.

/// A test of two ordered values, as a type, so that loops are specialised for it.
@usableFromInline
package protocol OrderTest: SendableMetatype {
  static func test<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool
}

extension OrderTest {
  /// The test of two values; for text, in the order of text.
  static func function<V: Comparable & Sendable>(_: V.Type = V.self) -> @Sendable (V, V) -> Bool {
    if let order = ValueOrder<V>.ofText() { return { test(order.compare($0, $1), 0) } }
    return { test($0, $1) }
  }
}

@usableFromInline
package enum LessTest: OrderTest {
  @inlinable package static func test<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool { lhs < rhs }
}

@usableFromInline
package enum LessOrEqualTest: OrderTest {
  @inlinable package static func test<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool {
    lhs <= rhs && haveOrder(lhs, rhs)
  }
}

@usableFromInline
package enum GreaterTest: OrderTest {
  @inlinable package static func test<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool { lhs > rhs }
}

@usableFromInline
package enum GreaterOrEqualTest: OrderTest {
  @inlinable package static func test<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool {
    lhs >= rhs && haveOrder(lhs, rhs)
  }
}

/// Whether one of two values is before the other, or equal. Dates that are not numbers have no order, though
/// `<=` and `>=` are true for them: `Date` defines these as the opposites of `>` and `<`.
@inlinable @inline(__always)
package func haveOrder<V: Comparable>(_ lhs: V, _ rhs: V) -> Bool {
  V.self != Date.self || lhs == lhs && rhs == rhs
}

/// Runs `test` over the rows' values; inlined, so that the loop holds the test itself.
@inlinable @inline(__always)
package func rowBits<V>(
  _ accessor: Accessor<V>, _ base: UnsafeRawPointer, _ stride: Int, _ count: Int, _ context: ReadContext,
  _ test: (V) -> Bool
) -> UInt64 {
  var bits: UInt64 = 0
  switch accessor {
  case .offset(let offset):
    // The offset belongs to a stored property of type V in every row. Rows are read forward, so that the
    // processor prefetches them; each gives a bit without a branch, in groups of eight with bits at fixed
    // places.
    var row = base + offset
    var index = 0
    while index &+ 8 <= count {
      var group: UInt64 = 0
      for bit in 0..<8 {
        group |= (test((row + bit &* stride).object(as: V.self).pointee) ? 1 : 0) &<< UInt64(bit)
      }
      bits |= group &<< UInt64(truncatingIfNeeded: index)
      row += 8 &* stride
      index &+= 8
    }
    while index < count {
      bits |= (test(row.object(as: V.self).pointee) ? 1 : 0) &<< UInt64(truncatingIfNeeded: index)
      row += stride
      index &+= 1
    }
  case .function(let function):
    let isLimited = context.isLimited
    for index in 0..<count {
      // Computing a value may take long for one row.
      if isLimited, !context.goesOn() { break }
      if test(function(base + index * stride, context)) { bits |= 1 &<< UInt64(truncatingIfNeeded: index) }
    }
  }
  return bits
}

@inlinable
package func equalityMask<V: Equatable & Sendable>(_ accessor: Accessor<V>, _ value: V, isEqual: Bool)
  -> RowMask
{
  { base, stride, count, context in
    rowBits(accessor, base, stride, count, context) { isEqualValue($0, value) == isEqual }
  }
}

@inlinable
package func orderMask<V: Comparable & Sendable, Test: OrderTest>(
  _ accessor: Accessor<V>, _ value: V, _: Test.Type
) -> RowMask {
  if let mask = textMask(accessor, value, Test.self) { return mask }
  return { base, stride, count, context in
    rowBits(accessor, base, stride, count, context) { Test.test($0, value) }
  }
}

@inlinable
package func orderMask<V: Comparable & Sendable, Test: OrderTest>(
  _ accessor: Accessor<V?>, _ value: V, _: Test.Type
) -> RowMask {
  if let mask = textMask(accessor, value, Test.self) { return mask }
  return { base, stride, count, context in
    rowBits(accessor, base, stride, count, context) { $0.map { Test.test($0, value) } ?? false }
  }
}

/// The mask of a comparison of text; nil for values of other types.
@usableFromInline
package func textMask<V: Comparable & Sendable, Test: OrderTest>(
  _ accessor: Accessor<V>, _ value: V, _: Test.Type
) -> RowMask? {
  if let accessor = accessor as? Accessor<String>, let value = value as? String {
    return testMask(accessor) { Test.test(String.textOrder($0, value), 0) }
  }
  return ValueOrder<V>.ofText().map { order in
    testMask(accessor) { Test.test(order.compare($0, value), 0) }
  }
}

@usableFromInline
package func textMask<V: Comparable & Sendable, Test: OrderTest>(
  _ accessor: Accessor<V?>, _ value: V, _: Test.Type
) -> RowMask? {
  if let accessor = accessor as? Accessor<String?>, let value = value as? String {
    return testMask(accessor) { $0.map { Test.test(String.textOrder($0, value), 0) } ?? false }
  }
  return ValueOrder<V>.ofText().map { order in
    testMask(accessor) { $0.map { Test.test(order.compare($0, value), 0) } ?? false }
  }
}

@inlinable
package func rangeMask<V: Comparable & Sendable>(
  _ accessor: Accessor<V>, _ range: some FilterRange<V> & Sendable
) -> RowMask {
  if let holds = textRangeTest(range) { return testMask(accessor, holds) }
  return testMask(accessor) { range.contains($0) && haveOrder($0, $0) }
}

@inlinable
package func rangeMask<V: Comparable & Sendable>(
  _ accessor: Accessor<V?>, _ range: some FilterRange<V> & Sendable
) -> RowMask {
  if let holds = textRangeTest(range) { return testMask(accessor) { $0.map(holds) ?? false } }
  return testMask(accessor) { $0.map { range.contains($0) && haveOrder($0, $0) } ?? false }
}

/// Whether text lies in a range; nil for values of other types.
@usableFromInline
package func textRangeTest<V: Comparable & Sendable>(
  _ range: some FilterRange<V> & Sendable
) -> (@Sendable (V) -> Bool)? {
  guard let order = ValueOrder<V>.ofText() else { return nil }
  let (lower, upper, isClosed) = range.boundsInFilter
  let last = isClosed ? 0 : -1
  return { value in
    (lower.map { order.compare(value, $0) >= 0 } ?? true)
      && (upper.map { order.compare(value, $0) <= last } ?? true)
  }
}

/// The mask of the test whether a value is one of several.
@inlinable
package func memberMask<V: Equatable & Sendable>(_ accessor: Accessor<V>, _ values: [V]) -> RowMask {
  if let mask = textMemberMask(accessor, values) ?? hashedMask(accessor, values) { return mask }
  return { base, stride, count, context in
    rowBits(accessor, base, stride, count, context) { value in
      for other in values where value == other { return true }
      return false
    }
  }
}

/// The same for texts; nil for other values.
@usableFromInline
package func textMemberMask<V: Equatable & Sendable>(_ accessor: Accessor<V>, _ values: [V]) -> RowMask? {
  guard let values = values as? [String?] else { return nil }
  let (texts, holdsNil) = (TextSet(values.compactMap(\.self)), values.contains(nil))
  if let accessor = accessor as? Accessor<String> {
    return testMask(accessor) { texts.contains($0, $1) }
  }
  guard let accessor = accessor as? Accessor<String?> else { return nil }
  return testMask(accessor) { text, run in text.map { texts.contains($0, run) } ?? holdsNil }
}

/// The same by a set; nil for few values, and for those that have no hash.
@usableFromInline
package func hashedMask<V: Equatable & Sendable>(_ accessor: Accessor<V>, _ values: [V]) -> RowMask? {
  guard values.count > maximumComparedValues else { return nil }
  /// The mask of a common type, whose loop is compiled for it.
  func of<Known: Hashable & Sendable>(_: Known.Type) -> RowMask? {
    guard let accessor = accessor as? Accessor<Known>, let values = values as? [Known] else { return nil }
    let set = Set(values)
    return { base, stride, count, context in
      rowBits(accessor, base, stride, count, context) { set.contains($0) }
    }
  }
  if let mask = of(Int.self) ?? of(UUID.self) { return mask }
  if let values = values as? [JSONValue?], let set = JSONScalars(values.compactMap(\.self)) {
    if let accessor = accessor as? Accessor<JSONValue> { return testMask(accessor) { set.contains($0, $1) } }
    let holdsNil = values.contains(nil)
    if let accessor = accessor as? Accessor<JSONValue?> {
      return testMask(accessor) { value, run in value.map { set.contains($0, run) } ?? holdsNil }
    }
  }
  let set = ValueSet(values)
  return testMask(accessor) { set.contains($0) }
}

/// The mask of a closure over objects of a type.
@inlinable
package func closureMask<Element>(_ isIncluded: @escaping @Sendable (Element) -> Bool) -> RowMask {
  { base, stride, count, _ in
    var bits: UInt64 = 0
    for index in 0..<count {
      // Each row of this entity's table holds an Element.
      if isIncluded((base + index * stride).object(as: Element.self).pointee) { bits |= 1 << UInt64(index) }
    }
    return bits
  }
}

/// The mask of any other test.
@inlinable
package func testMask<V>(_ accessor: Accessor<V>, _ test: @escaping @Sendable (V) -> Bool) -> RowMask {
  { base, stride, count, context in rowBits(accessor, base, stride, count, context, test) }
}

/// The mask of a test whose work counts.
func testMask<V>(
  _ accessor: Accessor<V>, _ test: @escaping @Sendable (V, FilterRun?) -> Bool
) -> RowMask {
  { base, stride, count, context in
    let run = context.run
    return rowBits(accessor, base, stride, count, context) { test($0, run) }
  }
}

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
