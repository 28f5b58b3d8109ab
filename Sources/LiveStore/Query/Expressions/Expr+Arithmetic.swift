// Arithmetic on numbers of a row: `$0.price * $0.quantity > 100`. What an operation gives is an expression like any
// other: it is compared, sorted by, and combined further.

extension Expr<Int> {
  /// The sum; the nearest integer where it is beyond the type.
  public static func + (lhs: Expr, rhs: Expr) -> Expr { combined(lhs, .add, rhs) { $0.clampedSum($1) } }
  /// The sum with a value; the nearest integer where it is beyond the type.
  public static func + (lhs: Expr, rhs: Int) -> Expr {
    combined(lhs, .add, .constant(rhs)) { $0.clampedSum($1) }
  }
  /// The difference; the nearest integer where it is beyond the type.
  public static func - (lhs: Expr, rhs: Expr) -> Expr {
    combined(lhs, .subtract, rhs) { $0.clampedDifference($1) }
  }
  /// The difference from a value; the nearest integer where it is beyond the type.
  public static func - (lhs: Expr, rhs: Int) -> Expr {
    combined(lhs, .subtract, .constant(rhs)) { $0.clampedDifference($1) }
  }
  /// The product; the nearest integer where it is beyond the type.
  public static func * (lhs: Expr, rhs: Expr) -> Expr {
    combined(lhs, .multiply, rhs) { $0.clampedProduct($1) }
  }
  /// The product with a value; the nearest integer where it is beyond the type.
  public static func * (lhs: Expr, rhs: Int) -> Expr {
    combined(lhs, .multiply, .constant(rhs)) { $0.clampedProduct($1) }
  }
  /// The quotient without its fraction; nil for a division by zero.
  public static func / (lhs: Expr, rhs: Expr) -> Expr<Int?> {
    combined(lhs, .divide, rhs) { $0.quotient($1) }
  }
  /// The quotient by a value, without its fraction; nil for zero.
  public static func / (lhs: Expr, rhs: Int) -> Expr<Int?> {
    combined(lhs, .divide, .constant(rhs)) { $0.quotient($1) }
  }
  /// The nearest double, for arithmetic with others.
  public var double: Expr<Double> { mapped("double") { Double($0) } }

  /// The sum of a value and this one; the nearest integer where it is beyond the type.
  public static func + (lhs: Int, rhs: Expr) -> Expr { .constant(lhs) + rhs }
  /// The difference of a value and this one; the nearest integer where it is beyond the type.
  public static func - (lhs: Int, rhs: Expr) -> Expr { .constant(lhs) - rhs }
  /// The product of a value and this one; the nearest integer where it is beyond the type.
  public static func * (lhs: Int, rhs: Expr) -> Expr { .constant(lhs) * rhs }
  /// A value divided by this one, without its fraction; nil for a division by zero.
  public static func / (lhs: Int, rhs: Expr) -> Expr<Int?> { .constant(lhs) / rhs }
}

extension Expr<Double> {
  /// The sum.
  public static func + (lhs: Expr, rhs: Expr) -> Expr { combined(lhs, .add, rhs) { $0 + $1 } }
  /// The sum with a value.
  public static func + (lhs: Expr, rhs: Double) -> Expr { combined(lhs, .add, .constant(rhs)) { $0 + $1 } }
  /// The difference.
  public static func - (lhs: Expr, rhs: Expr) -> Expr { combined(lhs, .subtract, rhs) { $0 - $1 } }
  /// The difference from a value.
  public static func - (lhs: Expr, rhs: Double) -> Expr {
    combined(lhs, .subtract, .constant(rhs)) { $0 - $1 }
  }
  /// The product.
  public static func * (lhs: Expr, rhs: Expr) -> Expr { combined(lhs, .multiply, rhs) { $0 * $1 } }
  /// The product with a value.
  public static func * (lhs: Expr, rhs: Double) -> Expr {
    combined(lhs, .multiply, .constant(rhs)) { $0 * $1 }
  }
  /// The quotient; infinite or NaN for a division by zero.
  public static func / (lhs: Expr, rhs: Expr) -> Expr { combined(lhs, .divide, rhs) { $0 / $1 } }
  /// The quotient by a value; infinite or NaN for zero.
  public static func / (lhs: Expr, rhs: Double) -> Expr { combined(lhs, .divide, .constant(rhs)) { $0 / $1 } }

  /// The sum of a value and this one.
  public static func + (lhs: Double, rhs: Expr) -> Expr { .constant(lhs) + rhs }
  /// The difference of a value and this one.
  public static func - (lhs: Double, rhs: Expr) -> Expr { .constant(lhs) - rhs }
  /// The product of a value and this one.
  public static func * (lhs: Double, rhs: Expr) -> Expr { .constant(lhs) * rhs }
  /// A value divided by this one; infinite or NaN for a division by zero.
  public static func / (lhs: Double, rhs: Expr) -> Expr { .constant(lhs) / rhs }
}

extension Expr where Value: Equatable & Sendable {
  /// A value that is the same for all rows.
  static func constant(_ value: Value) -> Expr {
    Expr(
      source: .path(.constant(Constant(operand: value))),
      accessor: .function { _, _ in value })
  }

  /// What an operation gives for two values of a row.
  static func combined<Left, Right, Result>(
    _ lhs: Expr<Left>, _ operation: ArithmeticOperation, _ rhs: Expr<Right>,
    _ combine: @escaping @Sendable (Left, Right) -> Result
  ) -> Expr<Result> {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    let (left, right) = (lhs.accessor, rhs.accessor)
    let source: ExprSource =
      if let leftPath = lhs.source.path, let rightPath = rhs.source.path {
        .path(.operation(operation, leftPath, rightPath))
      } else {
        .path(.closure())
      }
    // A change of either value is a change of the result.
    return Expr<Result>(
      source: source, accessor: .function { combine(left.read($0, $1), right.read($0, $1)) },
      reads: lhs.reads.joined(rhs.reads))
  }

  fileprivate func mapped<Result>(
    _ name: String, _ map: @escaping @Sendable (Value) -> Result
  ) -> Expr<Result> {
    let accessor = accessor
    return Expr<Result>(
      source: source.map { .function(name, $0) }, accessor: .function { map(accessor.read($0, $1)) },
      reads: reads)
  }
}

extension Int {
  func clampedSum(_ other: Int) -> Int {
    let (result, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other < 0 ? .min : .max) : result
  }

  func clampedDifference(_ other: Int) -> Int {
    let (result, isBeyond) = subtractingReportingOverflow(other)
    return isBeyond ? (other > 0 ? .min : .max) : result
  }

  func clampedProduct(_ other: Int) -> Int {
    let (result, isBeyond) = multipliedReportingOverflow(by: other)
    return isBeyond ? ((self < 0) == (other < 0) ? .max : .min) : result
  }

  func quotient(_ other: Int) -> Int? {
    if other == 0 { return nil }
    let (result, isBeyond) = dividedReportingOverflow(by: other)
    return isBeyond ? .max : result
  }
}
