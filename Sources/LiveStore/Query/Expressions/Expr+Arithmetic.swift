// Arithmetic on numbers of a row: `$0.price * $0.quantity > 100`. The result is an expression like any other:
// it is compared, sorted by, and combined further.

extension Expr where Value: FilterArithmetic {
  /// The sum; for integers out of range the nearest integer, for decimals out of range nil.
  public static func + (lhs: Expr, rhs: Expr) -> Expr<Value.Sum> { added(lhs, .add, rhs) }
  /// The sum with a value.
  public static func + (lhs: Expr, rhs: Value) -> Expr<Value.Sum> { lhs + .constant(rhs) }
  /// The sum of a value and this one.
  public static func + (lhs: Value, rhs: Expr) -> Expr<Value.Sum> { .constant(lhs) + rhs }
  /// The difference; for integers out of range the nearest integer, for decimals out of range nil.
  public static func - (lhs: Expr, rhs: Expr) -> Expr<Value.Sum> { added(lhs, .subtract, rhs) }
  /// The difference from a value.
  public static func - (lhs: Expr, rhs: Value) -> Expr<Value.Sum> { lhs - .constant(rhs) }
  /// The difference of a value and this one.
  public static func - (lhs: Value, rhs: Expr) -> Expr<Value.Sum> { .constant(lhs) - rhs }
  /// The product; for integers out of range the nearest integer, for decimals out of range nil.
  public static func * (lhs: Expr, rhs: Expr) -> Expr<Value.Sum> { added(lhs, .multiply, rhs) }
  /// The product with a value.
  public static func * (lhs: Expr, rhs: Value) -> Expr<Value.Sum> { lhs * .constant(rhs) }
  /// The product of a value and this one.
  public static func * (lhs: Value, rhs: Expr) -> Expr<Value.Sum> { .constant(lhs) * rhs }
  /// The quotient, for integers without its fraction. Where the divisor is zero, it is nil, or infinite or NaN for
  /// floating-point numbers.
  public static func / (lhs: Expr, rhs: Expr) -> Expr<Value.Quotient> { divided(lhs, rhs) }
  /// The quotient by a value.
  public static func / (lhs: Expr, rhs: Value) -> Expr<Value.Quotient> { lhs / .constant(rhs) }
  /// A value divided by this one.
  public static func / (lhs: Value, rhs: Expr) -> Expr<Value.Quotient> { .constant(lhs) / rhs }

  // The computation for each row is compiled for the common types.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  private static func added(_ lhs: Expr, _ operation: ArithmeticOperation, _ rhs: Expr) -> Expr<Value.Sum> {
    switch operation {
    case .add: combined(lhs, operation, rhs) { Value.sum($0, $1) }
    case .subtract: combined(lhs, operation, rhs) { Value.difference($0, $1) }
    default: combined(lhs, operation, rhs) { Value.product($0, $1) }
    }
  }

  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  private static func divided(_ lhs: Expr, _ rhs: Expr) -> Expr<Value.Quotient> {
    combined(lhs, .divide, rhs) { Value.quotient($0, $1) }
  }
}

extension Expr<Int> {
  /// The nearest double, for arithmetic with others.
  public var double: Expr<Double> {
    let accessor = accessor
    return Expr<Double>(
      source: .path(.function(.number(.double), term)),
      accessor: .function { Double(accessor.read($0, $1)) }, level: level)
  }
}

extension Expr where Value: Equatable & Sendable {
  /// A value that is the same for all rows.
  static func constant(_ value: Value) -> Expr {
    Expr(
      source: .path(.constant(Constant(operand: value))),
      accessor: .function { _, _ in value })
  }

  /// The result of an operation on two values of a row.
  static func combined<Left, Right, Result>(
    _ lhs: Expr<Left>, _ operation: ArithmeticOperation, _ rhs: Expr<Right>,
    _ combine: @escaping @Sendable (Left, Right) -> Result
  ) -> Expr<Result> {
    let (lhs, rhs) = RowLevels.aligned(lhs, rhs)
    let (left, right) = (lhs.accessor, rhs.accessor)
    return Expr<Result>(
      source: .path(.operation(operation, lhs.term, rhs.term)),
      accessor: .function { combine(left.read($0, $1), right.read($0, $1)) }, level: lhs.level ?? rhs.level)
  }
}
