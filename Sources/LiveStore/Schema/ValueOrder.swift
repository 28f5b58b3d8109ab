import Foundation

/// How values of one type are put in a total order: nil first, then NaN, then by `<`.
///
/// Proof of sendability: the functions capture metatypes and other functions of this kind, nothing mutable.
package struct ValueOrder<Value>: @unchecked Sendable {
  /// 64 bits in the values' order; see `AbbreviatedKey`.
  package let abbreviate: (Value) -> UInt64
  /// Whether equal abbreviations mean equal values.
  package let isExact: Bool
  /// Negative, zero or positive.
  package let compare: (Value, Value) -> Int
  /// Whether the order is known to keep its laws: that of a type of the standard library or of Foundation. The `<`
  /// of any other may contradict itself.
  package let isLawful: Bool
}

extension ValueOrder {
  /// The order of `Value`, if it is `Comparable` or an optional of such a type.
  package static func ofType(_: Value.Type = Value.self) -> ValueOrder? {
    if let type = Value.self as? any OptionalValue.Type { return optional(type) }
    if let type = Value.self as? any Comparable.Type { return comparable(type) }
    return Value.self == Bool.self ? bool() : nil
  }

  private static func comparable<C: Comparable>(_: C.Type) -> ValueOrder {
    let compare: (Value, Value) -> Int = {
      // C is Value itself: the caller found it by casting the metatype.
      totalOrder(unsafeBitCast($0, to: C.self), unsafeBitCast($1, to: C.self))
    }
    let cautious: (Value, Value) -> Int = {
      // C is Value itself, as above.
      cautiousOrder(unsafeBitCast($0, to: C.self), unsafeBitCast($1, to: C.self))
    }
    if let key = C.self as? any AbbreviatedKey.Type { return abbreviated(key, compare) }
    if Value.self == UUID.self {
      return ValueOrder(
        abbreviate: { unsafeBitCast($0, to: UUID.self).abbreviation },  // Value is UUID.
        isExact: false, compare: compare, isLawful: true)
    }
    return ValueOrder(abbreviate: { _ in 2 }, isExact: false, compare: cautious, isLawful: false)
  }

  /// False before true, which the standard library leaves unordered.
  private static func bool() -> ValueOrder {
    let key: (Value) -> UInt64 = { unsafeBitCast($0, to: Bool.self) ? 3 : 2 }  // Value is Bool.
    return ValueOrder(
      abbreviate: key, isExact: true, compare: { Int(key($0)) - Int(key($1)) }, isLawful: true)
  }

  private static func abbreviated<K: AbbreviatedKey>(
    _: K.Type, _ compare: @escaping (Value, Value) -> Int
  ) -> ValueOrder {
    ValueOrder(
      abbreviate: { unsafeBitCast($0, to: K.self).abbreviation },  // K is Value itself.
      isExact: K.isExact, compare: compare, isLawful: true)
  }

  private static func optional<O: OptionalValue>(_: O.Type) -> ValueOrder? {
    guard let wrapped = ValueOrder<O.Wrapped>.ofType() else { return nil }
    return ValueOrder(
      abbreviate: { value in
        // O is Value itself. Nil is 0; the rest lose their lowest bit to make room.
        guard let some = unsafeBitCast(value, to: O.self).wrapped else { return 0 }
        return wrapped.abbreviate(some) >> 1 | 1 << 63
      },
      isExact: false,
      compare: { lhs, rhs in
        switch (unsafeBitCast(lhs, to: O.self).wrapped, unsafeBitCast(rhs, to: O.self).wrapped) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let lhs?, let rhs?): wrapped.compare(lhs, rhs)
        }
      },
      isLawful: wrapped.isLawful)
  }
}

/// Compares so that values which equal nothing, such as NaN, stand together before all others.
@inlinable
package func totalOrder<C: Comparable>(_ lhs: C, _ rhs: C) -> Int {
  if lhs < rhs { return -1 }
  if rhs < lhs { return 1 }
  if lhs == rhs { return 0 }
  let (left, right) = (lhs == lhs, rhs == rhs)
  return left == right ? 0 : left ? 1 : -1
}

/// The same for an order that may contradict itself: two values that are each less than the other tie, as under a
/// `<` that is a `<=`.
func cautiousOrder<C: Comparable>(_ lhs: C, _ rhs: C) -> Int {
  let (isLess, isGreater) = (lhs < rhs, rhs < lhs)
  if isLess != isGreater { return isLess ? -1 : 1 }
  let (left, right) = (lhs == lhs, rhs == rhs)
  return left == right ? 0 : left ? 1 : -1
}

/// Equality under which a value that does not equal itself, such as NaN, equals its like.
@inlinable
package func isSameValue<V: Equatable>(_ lhs: V, _ rhs: V) -> Bool {
  lhs == rhs || (lhs != lhs && rhs != rhs && isSameOdd(lhs, rhs))
}

/// Whether two values that do not equal themselves are alike: two NaNs are; of other types, such as a struct with a
/// NaN among its properties, those with the same bytes. Others count as different, so that no edit is lost.
@usableFromInline
func isSameOdd<V>(_ lhs: V, _ rhs: V) -> Bool {
  if isFloatingPoint(V.self) { return true }
  guard _isPOD(V.self) else { return false }
  return withUnsafeBytes(of: lhs) { left in
    withUnsafeBytes(of: rhs) { right in left.elementsEqual(right) }
  }
}

private func isFloatingPoint(_ type: Any.Type) -> Bool {
  if type is any FloatingPoint.Type { return true }
  return (type as? any OptionalValue.Type).map { isFloatingPoint($0.wrappedType) } ?? false
}

/// Lets optional types be recognised at run time.
package protocol OptionalValue {
  associatedtype Wrapped
  var wrapped: Wrapped? { get }
}

extension OptionalValue {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

extension Optional: OptionalValue {
  package var wrapped: Wrapped? { self }
}

/// How values of one type are hashed; seeded by the process.
///
/// Proof of sendability: as for `ValueOrder`.
package struct ValueHash<Value>: @unchecked Sendable {
  private let function: (Value) -> UInt64

  /// Nil where `Value` is not `Hashable`.
  ///
  /// - Parameter hashesLists: whether lists, sets and maps of references have a hash as well, that of the
  ///   whole; filters go without, since rows are listed by each of their links.
  package init?(_: Value.Type = Value.self, hashesLists: Bool = false) {
    func make<H: Hashable>(_: H.Type) -> (Value) -> UInt64 {
      // H is Value itself: it was found by casting the metatype.
      { idHash(unsafeBitCast($0, to: H.self)) }
    }
    if let type = Value.self as? any RelationValue.Type {
      if let hash: (Value) -> UInt64 = referenceHash(type) {
        function = hash
        return
      }
      guard hashesLists else { return nil }
    }
    guard let hashable = Value.self as? any Hashable.Type else { return nil }
    function = make(hashable)
  }

  package func callAsFunction(_ value: Value) -> UInt64 { function(value) }
}

/// A single reference hashes as its id does, so that an index of links serves it.
private func referenceHash<Value, Linking: RelationValue>(_: Linking.Type) -> ((Value) -> UInt64)? {
  guard Linking.cardinality != .many else { return nil }
  return { value in
    var hash = noReferenceHash
    // Linking is Value itself: it was found by casting the metatype.
    unsafeBitCast(value, to: Linking.self).forEachReference { hash = idHash($0.id) }
    return hash
  }
}

/// Whether two values of one type are the same, NaN being the same as itself.
///
/// Proof of sendability: as for `ValueOrder`.
package struct ValueEquality<Value>: @unchecked Sendable {
  private let function: (Value, Value) -> Bool

  /// Nil where `Value` is not `Equatable`.
  package init?(_: Value.Type = Value.self) {
    func make<E: Equatable>(_: E.Type) -> (Value, Value) -> Bool {
      // E is Value itself: it was found by casting the metatype.
      { isSameValue(unsafeBitCast($0, to: E.self), unsafeBitCast($1, to: E.self)) }
    }
    guard let equatable = Value.self as? any Equatable.Type else { return nil }
    function = make(equatable)
  }

  package func callAsFunction(_ lhs: Value, _ rhs: Value) -> Bool { function(lhs, rhs) }
}

/// A fixed set of values, looked up by hash where there are many and they have one.
///
/// Proof of sendability: as for `ValueOrder`; the set is never changed and its members are Sendable.
package struct ValueSet<Value: Equatable & Sendable>: @unchecked Sendable {
  package let contains: (Value) -> Bool

  package init(_ values: [Value]) {
    func make<H: Hashable>(_: H.Type) -> (Value) -> Bool {
      // H is Value itself, as above.
      let set = Set(values.map { unsafeBitCast($0, to: H.self) })
      return { set.contains(unsafeBitCast($0, to: H.self)) }
    }
    if values.count > 8, let hashable = Value.self as? any Hashable.Type {
      contains = make(hashable)
    } else {
      contains = { values.contains($0) }
    }
  }
}
