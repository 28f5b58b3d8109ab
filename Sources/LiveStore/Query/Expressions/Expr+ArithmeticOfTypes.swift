// Arithmetic on numbers of all types, optional or not: `$0.discount * 2 > 10 - $0.small`.

extension Expr where Value: FilterOperand {
  /// The sum of two numbers of a kind, integers, floating-point numbers or decimals; nil where one is nil.
  ///
  /// Integers of all types are computed as `Int`, `Float` as `Double`; a value or result that `Int` does not have counts
  /// as the nearest it has. Decimals beyond 80 places before or behind the point have no result, which is nil.
  @_disfavoredOverload
  public static func + <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Value.Number?>
  where Other.Number == Value.Number {
    lhs.applying(.add, rhs) { $0 }
  }

  /// The difference of two numbers of a kind; nil where one is nil.
  @_disfavoredOverload
  public static func - <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Value.Number?>
  where Other.Number == Value.Number {
    lhs.applying(.subtract, rhs) { $0 }
  }

  /// The product of two numbers of a kind; nil where one is nil.
  @_disfavoredOverload
  public static func * <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Value.Number?>
  where Other.Number == Value.Number {
    lhs.applying(.multiply, rhs) { $0 }
  }

  /// The quotient of two numbers of a kind, for integers without its fraction; nil where one is nil, and for a division
  /// of integers or decimals by zero.
  @_disfavoredOverload
  public static func / <Other: FilterOperand>(lhs: Expr, rhs: Expr<Other>) -> Expr<Value.Number?>
  where Other.Number == Value.Number {
    lhs.applying(.divide, rhs) { $0 }
  }

  /// The sum with a value; nil where this one is nil.
  @_disfavoredOverload
  public static func + (lhs: Expr, rhs: Value.Number) -> Expr<Value.Number?> {
    lhs.applying(.add, constant: rhs)
  }

  /// The difference from a value; nil where this one is nil.
  @_disfavoredOverload
  public static func - (lhs: Expr, rhs: Value.Number) -> Expr<Value.Number?> {
    lhs.applying(.subtract, constant: rhs)
  }

  /// The product with a value; nil where this one is nil.
  @_disfavoredOverload
  public static func * (lhs: Expr, rhs: Value.Number) -> Expr<Value.Number?> {
    lhs.applying(.multiply, constant: rhs)
  }

  /// The quotient by a value; nil where this one is nil, and for zero, except for floating-point numbers.
  @_disfavoredOverload
  public static func / (lhs: Expr, rhs: Value.Number) -> Expr<Value.Number?> {
    lhs.applying(.divide, constant: rhs)
  }

  /// The sum of a value and this one; nil where this one is nil.
  @_disfavoredOverload
  public static func + (lhs: Value.Number, rhs: Expr) -> Expr<Value.Number?> {
    rhs.applying(.add, afterConstant: lhs)
  }

  /// The difference of a value and this one; nil where this one is nil.
  @_disfavoredOverload
  public static func - (lhs: Value.Number, rhs: Expr) -> Expr<Value.Number?> {
    rhs.applying(.subtract, afterConstant: lhs)
  }

  /// The product of a value and this one; nil where this one is nil.
  @_disfavoredOverload
  public static func * (lhs: Value.Number, rhs: Expr) -> Expr<Value.Number?> {
    rhs.applying(.multiply, afterConstant: lhs)
  }

  /// A value divided by this one; nil where this one is nil, and for zero, except for floating-point numbers.
  @_disfavoredOverload
  public static func / (lhs: Value.Number, rhs: Expr) -> Expr<Value.Number?> {
    rhs.applying(.divide, afterConstant: lhs)
  }
}

extension Expr where Value: FilterOperand {
  /// The nearest double, for arithmetic of several kinds of numbers; nil for a missing number.
  public var double: Expr<Double?> {
    let accessor = accessor
    let conversion = ValueConversion<Value>()
    return Expr<Double?>(
      source: .path(.function(.number(.double), term)),
      accessor: .function { row, context in
        guard case .number(let number) = conversion.convert(accessor.read(row, context)) else { return nil }
        return number.double
      }, level: level)
  }
}

extension ArithmeticOperation {
  /// The result of two numbers of one kind; nil if there is none.
  func result<Number: FilterArithmetic>(_ lhs: Number, _ rhs: Number) -> Number? {
    switch self {
    case .add: Number.Sum.number(Number.sum(lhs, rhs))
    case .subtract: Number.Sum.number(Number.difference(lhs, rhs))
    case .multiply: Number.Sum.number(Number.product(lhs, rhs))
    case .divide: Number.Quotient.number(Number.quotient(lhs, rhs))
    case .power: Number.Quotient.number(Number.power(lhs, rhs))
    }
  }
}

extension Expr where Value: FilterOperand {
  /// The result of an operation on this value and another one.
  ///
  /// - Parameter convert: converts the other number, which is of this one's type.
  func applying<Other: FilterOperand>(
    _ operation: ArithmeticOperation, _ other: Expr<Other>,
    _ convert: @escaping @Sendable (Other.Number) -> Value.Number
  ) -> Expr<Value.Number?> {
    Expr<Value>.combined(self, operation, other) { left, right in
      guard let left = Value.number(left), let right = Other.number(right) else { return nil }
      return operation.result(left, convert(right))
    }
  }

  /// The result of an operation on this value and a constant.
  func applying(_ operation: ArithmeticOperation, constant: Value.Number) -> Expr<Value.Number?> {
    Expr<Value>.combined(self, operation, Expr<Value.Number>.constant(constant)) { left, right in
      Value.number(left).flatMap { operation.result($0, right) }
    }
  }

  /// The result of an operation on a constant and this value.
  func applying(_ operation: ArithmeticOperation, afterConstant constant: Value.Number) -> Expr<Value.Number?>
  {
    Expr<Value>.combined(Expr<Value.Number>.constant(constant), operation, self) { left, right in
      Value.number(right).flatMap { operation.result(left, $0) }
    }
  }
}
