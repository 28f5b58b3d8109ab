// Overloads for what does not work in a filter, so that the compiler explains the mistake. None can be called.

extension Expr {
  /// Refuses a comparison of a property with a value of another type.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      The property and the value have different types. Give the value the property's type, as by \
      Int(…) or .rawValue.
      """
  )
  public static func == <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses a comparison of a property with a value of another type.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      The property and the value have different types. Give the value the property's type, as by \
      Int(…) or .rawValue.
      """
  )
  public static func != <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses a comparison with nil of a value that is never nil.
  @_disfavoredOverload
  @available(*, unavailable, message: "The property is not optional, so it is never nil.")
  public static func == (lhs: Expr, rhs: _OptionalNilComparisonType) -> Expr<Bool> { neverCalled() }

  /// Refuses a comparison with nil of a value that is never nil.
  @_disfavoredOverload
  @available(*, unavailable, message: "The property is not optional, so it is never nil.")
  public static func != (lhs: Expr, rhs: _OptionalNilComparisonType) -> Expr<Bool> { neverCalled() }

  /// Refuses an order between values that have none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      An order needs a property of a Comparable type and a value of the same type. Give the value the \
      property's type, or make the type Comparable, or an enumeration with raw values CaseIterable.
      """
  )
  public static func < <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses an order between values that have none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      An order needs a property of a Comparable type and a value of the same type. Give the value the \
      property's type, or make the type Comparable, or an enumeration with raw values CaseIterable.
      """
  )
  public static func <= <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses an order between values that have none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      An order needs a property of a Comparable type and a value of the same type. Give the value the \
      property's type, or make the type Comparable, or an enumeration with raw values CaseIterable.
      """
  )
  public static func > <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses an order between values that have none.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      An order needs a property of a Comparable type and a value of the same type. Give the value the \
      property's type, or make the type Comparable, or an enumeration with raw values CaseIterable.
      """
  )
  public static func >= <Other>(lhs: Expr, rhs: Other) -> Expr<Bool> { neverCalled() }

  /// Refuses another expression in place of a missing value.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      A value stands in for a missing one, another property does not. Write ($0.a == value || $0.a == \
      nil && $0.b == value).
      """
  )
  public static func ?? <Wrapped>(lhs: Expr, rhs: Expr<Wrapped>) -> Expr<Wrapped> where Value == Wrapped? {
    neverCalled()
  }
}

extension Expr {
  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age == 18.")
  public static func == (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }

  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age != 18.")
  public static func != (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }

  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age > 18.")
  public static func < (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }

  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age >= 18.")
  public static func <= (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }

  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age < 18.")
  public static func > (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }

  /// Refuses a value before the property.
  @_disfavoredOverload
  @available(*, unavailable, message: "Write the property first and then the value: $0.age <= 18.")
  public static func >= (lhs: Value, rhs: Expr) -> Expr<Bool> { neverCalled() }
}

extension Expr<String> {
  /// Refuses a method that text options replace.
  @available(
    *, unavailable,
    message: """
      Compare text regardless of case by contains, hasPrefix or hasSuffix with options: \
      [.caseInsensitive].
      """
  )
  public func lowercased() -> Expr<String> { neverCalled() }

  /// Refuses a method that text options replace.
  @available(
    *, unavailable,
    message: """
      Compare text regardless of case by contains, hasPrefix or hasSuffix with options: \
      [.caseInsensitive].
      """
  )
  public func uppercased() -> Expr<String> { neverCalled() }
}
