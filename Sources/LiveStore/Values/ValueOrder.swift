import Foundation

/// A total order of the values of one type: nil first, then NaN, then by `<`; text as in `OrderedText.swift`.
///
/// Proof of sendability: the functions capture metatypes and other functions of this kind, nothing mutable.
package struct ValueOrder<Value>: @unchecked Sendable {
  /// 64 bits in the values' order; see `AbbreviatedKey`.
  package let abbreviate: (Value) -> UInt64
  /// Whether equal abbreviations mean equal values.
  package let isExact: Bool
  /// Negative, zero or positive.
  package let compare: (Value, Value) -> Int
  /// Whether the order is known to be consistent: the type is one of the standard library or Foundation. The `<` of
  /// any other type may be inconsistent.
  package let isConsistent: Bool
  /// Writes the abbreviations of values in memory, in a loop of the type's own; nil if it has none.
  let abbreviateAll: ((StridedValues, UnsafeMutablePointer<UInt64>) -> Void)?

  init(
    abbreviate: @escaping (Value) -> UInt64, isExact: Bool, compare: @escaping (Value, Value) -> Int,
    isConsistent: Bool, abbreviateAll: ((StridedValues, UnsafeMutablePointer<UInt64>) -> Void)? = nil
  ) {
    self.abbreviate = abbreviate
    self.isExact = isExact
    self.compare = compare
    self.isConsistent = isConsistent
    self.abbreviateAll = abbreviateAll
  }
}

extension ValueOrder {
  /// The order of text, if `Value` is text, whose own `<` is not used.
  static func ofText(_: Value.Type = Value.self) -> ValueOrder? {
    // Text is never stored without a reference. The first cast of a type searches all conformances of the process, which
    // takes longer than a small query.
    _isPOD(Value.self) ? nil : Value.self is any OrderedText.Type ? ofType() : nil
  }

  /// The order of `Value`, if it is `Comparable`, `Bool`, an enumeration with raw values that lists its cases, or an
  /// optional of such a type.
  package static func ofType(_: Value.Type = Value.self) -> ValueOrder? {
    if let type = Value.self as? any OptionalValue.Type { return optional(type) }
    if let type = Value.self as? any Comparable.Type { return comparable(type) }
    if let type = Value.self as? any (CaseIterable & RawRepresentable & Hashable).Type {
      return declared(type)
    }
    return Value.self == Bool.self ? bool() : nil
  }

  /// The order in which the cases of an enumeration with raw values are declared. A value outside `allCases`, which
  /// only a custom `allCases` can leave out, comes after them by its raw value.
  private static func declared<C: CaseIterable & RawRepresentable & Hashable>(_: C.Type) -> ValueOrder {
    let places = Dictionary(zip(C.allCases, 0...), uniquingKeysWith: { first, _ in first })
    let rawOrder = ValueOrder<C.RawValue>.ofType()
    func place(_ value: Value) -> Int {
      // C is Value itself: the caller found it by casting the metatype.
      places[unsafeBitCast(value, to: C.self)] ?? .max
    }
    return ValueOrder(
      abbreviate: { UInt64(place($0)) }, isExact: false,
      compare: { lhs, rhs in
        let (left, right) = (place(lhs), place(rhs))
        if left != right { return left < right ? -1 : 1 }
        guard left == .max, let rawOrder else { return 0 }
        // C is Value itself, as above.
        return rawOrder.compare(
          unsafeBitCast(lhs, to: C.self).rawValue, unsafeBitCast(rhs, to: C.self).rawValue)
      },
      // `==` may be user code.
      isConsistent: hasDistinctCases(C.self) && (rawOrder?.isConsistent ?? false))
  }

  private static func comparable<C: Comparable>(_: C.Type) -> ValueOrder {
    let cautious: (Value, Value) -> Int = {
      // C is Value itself: the caller found it by casting the metatype.
      cautiousOrder(unsafeBitCast($0, to: C.self), unsafeBitCast($1, to: C.self))
    }
    if let key = C.self as? any AbbreviatedKey.Type { return abbreviated(key) }
    if Value.self == UUID.self {
      return ValueOrder(
        abbreviate: { unsafeBitCast($0, to: UUID.self).abbreviation },  // Value is UUID.
        isExact: false,
        // C is Value itself, as above.
        compare: { totalOrder(unsafeBitCast($0, to: C.self), unsafeBitCast($1, to: C.self)) },
        isConsistent: true)
    }
    return ValueOrder(abbreviate: { _ in 2 }, isExact: false, compare: cautious, isConsistent: false)
  }

  /// False before true, which the standard library leaves unordered.
  private static func bool() -> ValueOrder {
    let key: (Value) -> UInt64 = { unsafeBitCast($0, to: Bool.self) ? 3 : 2 }  // Value is Bool.
    return ValueOrder(
      abbreviate: key, isExact: true, compare: { Int(key($0)) - Int(key($1)) }, isConsistent: true)
  }

  private static func abbreviated<K: AbbreviatedKey>(_: K.Type) -> ValueOrder {
    ValueOrder(
      abbreviate: { unsafeBitCast($0, to: K.self).abbreviation },  // K is Value itself.
      isExact: K.isExact,
      compare: { K.compare(unsafeBitCast($0, to: K.self), unsafeBitCast($1, to: K.self)) },  // The same.
      isConsistent: true, abbreviateAll: { K.abbreviate($0, into: $1) })
  }

  private static func optional<O: OptionalValue>(_: O.Type) -> ValueOrder? {
    guard let wrapped = ValueOrder<O.Wrapped>.ofType() else { return nil }
    return ValueOrder(
      abbreviate: { value in
        // O is Value itself.
        unsafeBitCast(value, to: O.self).wrapped.map { optionalAbbreviation(wrapped.abbreviate($0)) } ?? 0
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
      isConsistent: wrapped.isConsistent,
      abbreviateAll: (O.Wrapped.self as? any AbbreviatedKey.Type).map { key in
        { key.abbreviate(optionals: $0, into: $1) }
      })
  }
}

/// Compares so that values which do not equal themselves, such as NaN, come before all others.
@inlinable
package func totalOrder<C: Comparable>(_ lhs: C, _ rhs: C) -> Int {
  if lhs < rhs { return -1 }
  if rhs < lhs { return 1 }
  if lhs == rhs { return 0 }
  let (left, right) = (lhs == lhs, rhs == rhs)
  return left == right ? 0 : left ? 1 : -1
}

/// The same for an order that may be inconsistent: two values that are each less than the other tie, as under a `<`
/// that behaves like `<=`.
func cautiousOrder<C: Comparable>(_ lhs: C, _ rhs: C) -> Int {
  let (isLess, isGreater) = (lhs < rhs, rhs < lhs)
  if isLess != isGreater { return isLess ? -1 : 1 }
  let (left, right) = (lhs == lhs, rhs == rhs)
  return left == right ? 0 : left ? 1 : -1
}
