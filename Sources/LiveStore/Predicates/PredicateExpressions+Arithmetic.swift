import Foundation

// Arithmetic of `Int` and `Double` is that of expressions: a sum beyond the type is the nearest integer, where
// Foundation ends the process.

extension PredicateExpressions.Arithmetic: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<LHS.Output>? {
    guard let left = reader.read(lhs), let right = reader.read(rhs) else { return nil }
    func result<Number: FilterArithmetic & KnownSendable>(_: Number.Type) -> ReadValue<Output>?
    where Number.Sum == Number {
      guard let left = left.expr(of: Number.self), let right = right.expr(of: Number.self) else { return nil }
      switch op {
      case .add: return ReadValue<Number>(left + right).typed(as: Output.self)
      case .subtract: return ReadValue<Number>(left - right).typed(as: Output.self)
      case .multiply: return ReadValue<Number>(left * right).typed(as: Output.self)
      @unknown default: return nil
      }
    }
    return result(Int.self) ?? result(Double.self)
  }
}

extension PredicateExpressions.FloatDivision: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<LHS.Output>? {
    guard let left = reader.read(lhs)?.expr(of: Double.self),
      let right = reader.read(rhs)?.expr(of: Double.self)
    else { return nil }
    return ReadValue<Double>(left / right).typed(as: Output.self)
  }
}

extension PredicateExpressions.UnaryMinus: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Wrapped.Output>? {
    guard let value = reader.read(wrapped)?.constant else { return nil }
    // The least integer has no opposite.
    func isLeast<Number: FixedWidthInteger>(_ number: Number) -> Bool { number == .min }
    if let number = value as? any FixedWidthInteger, isLeast(number) { return nil }
    return .constant(-value)
  }
}

extension ReadValue {
  fileprivate init(_ expr: Expr<Output>) where Output: KnownSendable {
    self.init(source: .value(expr), witness: Witness<Output>())
  }

  /// The number as an expression, if it is one of a type and always has a value.
  fileprivate func expr<Number: KnownSendable>(of _: Number.Type) -> Expr<Number>? {
    switch source {
    case .constant(let value): (value as? Number).map { .constant($0) }
    case .value(let expr): guards.isEmpty ? expr as? Expr<Number> : nil
    default: nil
    }
  }
}
