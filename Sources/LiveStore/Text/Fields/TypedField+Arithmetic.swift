import Foundation

/// A value with which a text computes.
protocol FilterOperandField: FilterField {
  /// What an operation gives for it and another value of the row; nil if that is another kind of number.
  func applying(_ operation: ArithmeticOperation, _ other: any FilterField) -> (any FilterField)?
  /// What an operation gives for a value before it and it.
  func applying<Left: FilterOperand>(
    _ operation: ArithmeticOperation, after left: Expr<Left>
  ) -> (any FilterField)?
  /// What an operation gives for it and a constant; nil if its kind of number has no such value.
  func applying(_ operation: ArithmeticOperation, constant: FilterLiteral) -> (any FilterField)?
  /// What an operation gives for a constant and it.
  func applying(_ operation: ArithmeticOperation, afterConstant constant: FilterLiteral) -> (any FilterField)?
  /// The nearest double.
  var double: any FilterField { get }
}

extension TypedField: FilterOperandField where Value: FilterOperand {
  private typealias Number = Value.Number

  var double: any FilterField {
    if let expr = expr as? Expr<Int> { return TypedField<Double>(expr: expr.double) }
    return TypedField<Double?>(expr: expr.double)
  }

  func applying(_ operation: ArithmeticOperation, _ other: any FilterField) -> (any FilterField)? {
    (other as? any FilterOperandField)?.applying(operation, after: expr)
  }

  func applying<Left: FilterOperand>(
    _ operation: ArithmeticOperation, after left: Expr<Left>
  ) -> (any FilterField)? {
    if let field = plain(operation, left, expr) { return field }
    guard Left.Number.self == Number.self else { return nil }
    // Both are one type, as the metatypes say.
    return TypedField<Left.Number?>(
      expr: left.applying(operation, expr) { unsafeBitCast($0, to: Left.Number.self) })
  }

  func applying(_ operation: ArithmeticOperation, constant: FilterLiteral) -> (any FilterField)? {
    guard let value = number(constant) else { return nil }
    return plain(operation, expr, Expr<Number>.constant(value))
      ?? TypedField<Number?>(expr: expr.applying(operation, constant: value))
  }

  func applying(_ operation: ArithmeticOperation, afterConstant constant: FilterLiteral) -> (any FilterField)?
  {
    guard let value = number(constant) else { return nil }
    return plain(operation, Expr<Number>.constant(value), expr)
      ?? TypedField<Number?>(expr: expr.applying(operation, afterConstant: value))
  }

  private func number(_ literal: FilterLiteral) -> Number? {
    // A constant of another kind makes the result one of that.
    guard let kind = literal.numbers, NumberKind.joined(numbers, kind) == numbers else { return nil }
    if Number.self == Int.self, case .number(let number) = FilterValue(literal) {
      return number.clampedInteger as? Number
    }
    return (try? FilterConversion.value(of: literal, as: Number.self)).flatMap { $0 }
  }

  /// The operation of two numbers that are `Int` or `Double` and never nil.
  private func plain<Left, Right>(
    _ operation: ArithmeticOperation, _ left: Expr<Left>, _ right: Expr<Right>
  ) -> (any FilterField)? {
    if let left = left as? Expr<Int>, let right = right as? Expr<Int> {
      return switch operation {
      case .add: TypedField<Int>(expr: left + right)
      case .subtract: TypedField<Int>(expr: left - right)
      case .multiply: TypedField<Int>(expr: left * right)
      case .divide: TypedField<Int?>(expr: left / right)
      }
    }
    guard let left = left as? Expr<Double>, let right = right as? Expr<Double> else { return nil }
    return switch operation {
    case .add: TypedField<Double>(expr: left + right)
    case .subtract: TypedField<Double>(expr: left - right)
    case .multiply: TypedField<Double>(expr: left * right)
    case .divide: TypedField<Double>(expr: left / right)
    }
  }
}
