import Foundation

/// An expression of Foundation's predicates that can be read, in some cases.
protocol ReadableExpression: PredicateExpression {
  /// What it gives in terms of the row; nil if that cannot be said, so that it is evaluated (F6).
  func read(_ reader: PredicateReader) -> ReadValue<Output>?
}

/// Reads the expressions of a predicate. Nothing is evaluated but constants, and no code of Foundation's runs that may
/// end the process, such as an overflow.
struct PredicateReader {
  /// What the variables stand for: each a `ReadValue`.
  private var variables: [PredicateExpressions.VariableID: Any] = [:]

  func read<Expression: PredicateExpression>(_ expression: Expression) -> ReadValue<Expression.Output>? {
    func value(_ readable: some ReadableExpression) -> Any? { readable.read(self) }
    guard let readable = expression as? any ReadableExpression else { return nil }
    return value(readable) as? ReadValue<Expression.Output>
  }

  /// The reader inside an expression that binds a variable.
  func binding<Output>(
    _ variable: PredicateExpressions.Variable<Output>, to value: ReadValue<Output>
  ) -> PredicateReader {
    var reader = self
    reader.variables[variable.key] = value
    return reader
  }

  func value<Output>(of variable: PredicateExpressions.Variable<Output>) -> ReadValue<Output>? {
    variables[variable.key] as? ReadValue<Output>
  }
}

extension PredicateExpressions.Variable: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Output>? { reader.value(of: self) }
}

extension PredicateExpressions.Value: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Output>? { .constant(value) }
}

extension PredicateExpressions.NilLiteral: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Wrapped?>? { .constant(nil) }
}
