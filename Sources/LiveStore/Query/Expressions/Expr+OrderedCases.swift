// Comparisons of enumerations that are not `Comparable`, in the order in which their cases are declared: the order by which
// queries sort them, and text filters compare them.

extension Expr where Value: OrderedCases {
  /// Whether the case is declared before `rhs`.
  @_disfavoredOverload
  public static func < (lhs: Expr, rhs: Value) -> Expr<Bool> { Conditions.ordering(lhs, .less, rhs) }

  /// Whether the case is `rhs` or declared before it.
  @_disfavoredOverload
  public static func <= (lhs: Expr, rhs: Value) -> Expr<Bool> { Conditions.ordering(lhs, .lessOrEqual, rhs) }

  /// Whether the case is declared after `rhs`.
  @_disfavoredOverload
  public static func > (lhs: Expr, rhs: Value) -> Expr<Bool> { Conditions.ordering(lhs, .greater, rhs) }

  /// Whether the case is `rhs` or declared after it.
  ///
  /// ```swift
  /// enum Severity: String, CaseIterable { case low, medium, high }
  /// Incident.where { $0.severity >= .medium }
  /// ```
  @_disfavoredOverload
  public static func >= (lhs: Expr, rhs: Value) -> Expr<Bool> {
    Conditions.ordering(lhs, .greaterOrEqual, rhs)
  }

  /// Whether the case is declared before another property's case.
  @_disfavoredOverload
  public static func < (lhs: Expr, rhs: Expr) -> Expr<Bool> { Conditions.ordering(lhs, .less, rhs) }

  /// Whether the case is another property's case or declared before it.
  @_disfavoredOverload
  public static func <= (lhs: Expr, rhs: Expr) -> Expr<Bool> { Conditions.ordering(lhs, .lessOrEqual, rhs) }

  /// Whether the case is declared after another property's case.
  @_disfavoredOverload
  public static func > (lhs: Expr, rhs: Expr) -> Expr<Bool> { Conditions.ordering(lhs, .greater, rhs) }

  /// Whether the case is another property's case or declared after it.
  @_disfavoredOverload
  public static func >= (lhs: Expr, rhs: Expr) -> Expr<Bool> {
    Conditions.ordering(lhs, .greaterOrEqual, rhs)
  }
}

extension Expr {
  /// Whether there is a case, and it is declared before `rhs`.
  @_disfavoredOverload
  public static func < <Case: OrderedCases>(lhs: Expr, rhs: Case) -> Expr<Bool> where Value == Case? {
    Conditions.ordering(lhs, .less, rhs)
  }

  /// Whether there is a case, and it is `rhs` or declared before it.
  @_disfavoredOverload
  public static func <= <Case: OrderedCases>(lhs: Expr, rhs: Case) -> Expr<Bool> where Value == Case? {
    Conditions.ordering(lhs, .lessOrEqual, rhs)
  }

  /// Whether there is a case, and it is declared after `rhs`.
  @_disfavoredOverload
  public static func > <Case: OrderedCases>(lhs: Expr, rhs: Case) -> Expr<Bool> where Value == Case? {
    Conditions.ordering(lhs, .greater, rhs)
  }

  /// Whether there is a case, and it is `rhs` or declared after it.
  @_disfavoredOverload
  public static func >= <Case: OrderedCases>(lhs: Expr, rhs: Case) -> Expr<Bool> where Value == Case? {
    Conditions.ordering(lhs, .greaterOrEqual, rhs)
  }
}

extension Conditions {
  /// A comparison in the order of the values' type.
  fileprivate static func ordering<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ comparison: Comparison, _ rhs: Value
  ) -> Expr<Bool> {
    let test = comparison.test(of: Value.self) ?? { _, _ in false }
    return comparing(lhs, comparison, rhs, testMask(lhs.accessor) { test($0, rhs) })
  }

  fileprivate static func ordering<Value: Equatable & Sendable>(
    _ lhs: Expr<Value>, _ comparison: Comparison, _ rhs: Expr<Value>
  ) -> Expr<Bool> {
    pairing(lhs, comparison, rhs, comparison.test(of: Value.self) ?? { _, _ in false })
  }
}
