extension Expr where Value: Equatable & Sendable {
  /// Whether the value equals `rhs`; a missing value equals only nil.
  @inlinable
  public static func == (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .equal, rhs, equalityMask(lhs.accessor, rhs, isEqual: true))
  }

  /// Whether the value differs from `rhs`; a missing value differs from every value.
  @inlinable
  public static func != (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .notEqual, rhs, equalityMask(lhs.accessor, rhs, isEqual: false))
  }

  /// Whether two properties of the row are equal.
  public static func == (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .equal, rhs) { isEqualValue($0, $1) }
  }

  /// Whether two properties of the row differ.
  public static func != (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .notEqual, rhs) { !isEqualValue($0, $1) }
  }

  /// Whether the value is one of `values`.
  ///
  /// - Complexity: O(1) a row if the values are `Hashable`, O(*n*) otherwise.
  @inlinable
  public func `in`(_ values: some Sequence<Value>) -> Expr<Bool> {
    let values = Array(values)
    return Conditions.member(self, values, memberMask(accessor, values))
  }
}

extension Expr where Value: Comparable & Sendable {
  /// Whether the value is below `rhs`.
  @inlinable
  public static func < (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .less, rhs, orderMask(lhs.accessor, rhs, LessTest.self))
  }

  /// Whether the value is `rhs` or below.
  @inlinable
  public static func <= (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .lessOrEqual, rhs, orderMask(lhs.accessor, rhs, LessOrEqualTest.self))
  }

  /// Whether the value is above `rhs`.
  @inlinable
  public static func > (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .greater, rhs, orderMask(lhs.accessor, rhs, GreaterTest.self))
  }

  /// Whether the value is `rhs` or above.
  @inlinable
  public static func >= (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.comparing(lhs, .greaterOrEqual, rhs, orderMask(lhs.accessor, rhs, GreaterOrEqualTest.self))
  }

  /// Whether one property of the row is below another.
  public static func < (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .less, rhs, LessTest.function())
  }

  /// Whether one property of the row is at most another.
  public static func <= (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .lessOrEqual, rhs, LessOrEqualTest.function())
  }

  /// Whether one property of the row is above another.
  public static func > (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .greater, rhs, GreaterTest.function())
  }

  /// Whether one property of the row is at least another.
  public static func >= (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.pairing(lhs, .greaterOrEqual, rhs, GreaterOrEqualTest.function())
  }

  /// Whether the value lies in `range`: `$0.age.in(18..<65)`.
  @inlinable
  public func `in`(_ range: some FilterRange<Value> & Sendable) -> Expr<Bool> {
    let (lower, upper, isClosed) = range.boundsInFilter
    return Conditions.ranging(self, lower, upper, isClosed: isClosed, rangeMask(accessor, range))
  }
}

extension Expr {
  /// Whether the value is not nil and below `rhs`.
  @inlinable
  public static func < <V: Comparable & Sendable>(lhs: Expr, rhs: V) -> Expr<Bool> where Value == V? {
    Conditions.comparing(lhs, .less, rhs, orderMask(lhs.accessor, rhs, LessTest.self))
  }

  /// Whether the value is not nil and `rhs` or below.
  @inlinable
  public static func <= <V: Comparable & Sendable>(lhs: Expr, rhs: V) -> Expr<Bool> where Value == V? {
    Conditions.comparing(lhs, .lessOrEqual, rhs, orderMask(lhs.accessor, rhs, LessOrEqualTest.self))
  }

  /// Whether the value is not nil and above `rhs`.
  @inlinable
  public static func > <V: Comparable & Sendable>(lhs: Expr, rhs: V) -> Expr<Bool> where Value == V? {
    Conditions.comparing(lhs, .greater, rhs, orderMask(lhs.accessor, rhs, GreaterTest.self))
  }

  /// Whether the value is not nil and `rhs` or above.
  @inlinable
  public static func >= <V: Comparable & Sendable>(lhs: Expr, rhs: V) -> Expr<Bool> where Value == V? {
    Conditions.comparing(lhs, .greaterOrEqual, rhs, orderMask(lhs.accessor, rhs, GreaterOrEqualTest.self))
  }

  /// Whether the value is not nil and lies in `range`.
  @inlinable
  public func `in`<V: Comparable & Sendable>(_ range: some FilterRange<V> & Sendable) -> Expr<Bool>
  where Value == V? {
    let (lower, upper, isClosed) = range.boundsInFilter
    return Conditions.ranging(
      self, lower.map { .some($0) }, upper.map { .some($0) }, isClosed: isClosed, rangeMask(accessor, range))
  }

  /// Whether the value is nil; for values that cannot be compared, too.
  @_disfavoredOverload
  public static func == <V>(lhs: Expr, rhs: _OptionalNilComparisonType) -> Expr<Bool> where Value == V? {
    Conditions.missing(lhs, isNil: true)
  }

  /// Whether the value is not nil.
  @_disfavoredOverload
  public static func != <V>(lhs: Expr, rhs: _OptionalNilComparisonType) -> Expr<Bool> where Value == V? {
    Conditions.missing(lhs, isNil: false)
  }
}

extension Expr<Bool> {
  /// Whether both conditions hold.
  public static func && (lhs: Expr, rhs: Expr) -> Expr {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    return Expr(lhs.filter.and(rhs.filter), at: lhs.level ?? rhs.level)
  }

  /// Whether at least one of the conditions holds.
  public static func || (lhs: Expr, rhs: Expr) -> Expr {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    return Expr(lhs.filter.or(rhs.filter), at: lhs.level ?? rhs.level)
  }

  /// Whether the condition does not hold.
  public static prefix func ! (condition: Expr) -> Expr {
    Expr(condition.filter.negated, at: condition.level)
  }
}
