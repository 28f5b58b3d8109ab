import Foundation

/// A value with which a text computes.
protocol OperandField: TypedField where Value: FilterOperand {}

extension ExpressionField: OperandField where Value: FilterOperand {}

extension OperandField {
  private typealias Number = Value.Number

  /// The nearest double.
  var double: FilterField {
    if let expr = expr as? Expr<Int> { return FilterField(expr.double as Expr<Double>) }
    return FilterField(expr.double as Expr<Double?>)
  }

  /// The result of an operation on it and another value of the row; nil if that is another kind of number.
  func applying(_ operation: ArithmeticOperation, _ other: FilterField) -> FilterField? {
    (other.typed as? any OperandField)?.applying(operation, after: expr)
  }

  private func applying<Left: FilterOperand>(
    _ operation: ArithmeticOperation, after left: Expr<Left>
  ) -> FilterField? {
    if let field = plain(operation, left, expr) { return field }
    guard Left.Number.self == Number.self else { return nil }
    // Both are one type, as the metatypes say.
    return FilterField(left.applying(operation, expr) { unsafeBitCast($0, to: Left.Number.self) })
  }

  /// The result of an operation on it and a constant; nil if its kind of number has no such value.
  func applying(_ operation: ArithmeticOperation, constant: FilterLiteral) -> FilterField? {
    guard let value = number(constant) else { return nil }
    return plain(operation, expr, Expr<Number>.constant(value))
      ?? FilterField(expr.applying(operation, constant: value))
  }

  /// The result of an operation on a constant and it.
  func applying(_ operation: ArithmeticOperation, afterConstant constant: FilterLiteral) -> FilterField? {
    guard let value = number(constant) else { return nil }
    return plain(operation, Expr<Number>.constant(value), expr)
      ?? FilterField(expr.applying(operation, afterConstant: value))
  }

  private func number(_ literal: FilterLiteral) -> Number? {
    // A constant of another kind makes the result one of its own kind.
    guard let kind = literal.numbers, NumberKind.joined(numbers, kind) == numbers else { return nil }
    if Number.self == Int.self, case .number(let number) = FilterValue(literal) {
      return number.clampedInteger as? Number
    }
    return (try? FilterConversion.value(of: literal, as: Number.self)).flatMap { $0 }
  }

  /// The operation of two numbers that are `Int` or `Double` and never nil.
  private func plain<Left, Right>(
    _ operation: ArithmeticOperation, _ left: Expr<Left>, _ right: Expr<Right>
  ) -> FilterField? {
    if let left = left as? Expr<Int>, let right = right as? Expr<Int> {
      return switch operation {
      case .add: FilterField((left + right) as Expr<Int>)
      case .subtract: FilterField((left - right) as Expr<Int>)
      case .multiply: FilterField((left * right) as Expr<Int>)
      case .divide: FilterField((left / right) as Expr<Int?>)
      case .power: nil
      }
    }
    guard let left = left as? Expr<Double>, let right = right as? Expr<Double> else { return nil }
    return switch operation {
    case .add: FilterField((left + right) as Expr<Double>)
    case .subtract: FilterField((left - right) as Expr<Double>)
    case .multiply: FilterField((left * right) as Expr<Double>)
    case .divide: FilterField((left / right) as Expr<Double>)
    case .power: nil
    }
  }
}
