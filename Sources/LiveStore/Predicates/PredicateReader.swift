// Foundation's predicates.
//
// A `Predicate` is a tree of generic expressions. Those that can be read conform to `ReadableExpression`;
// `PredicateReader` asks them for a `ReadValue`: a constant, an `Expr` of the row, or a `PredicateOutcome`.
// Types of values are not known to be `Sendable` by a cast, so a `ValueWitness` comes from the schema's
// line or from `KnownSendable`.
//
// - **F6** A part that is read gives the same as Foundation's `evaluate`; parts that would differ are not
//   read: order of text, and prefixes that end in a carriage return. Arithmetic beyond a type, and bounds in
//   the wrong order, at which Foundation ends the process, are the exceptions.
// - **F7** A `PredicateOutcome` says for which rows a condition is true, nil, or throws. `!` and `||` keep
//   these apart, so a row for which evaluation throws passes neither a condition nor its negation. A
//   variable that is bound to an optional's value stands for the optional; its condition is joined with "is
//   not nil" wherever it might hold without a value.
// - **F8** Each part of a conjunction that is not read is a condition of its own, behind all parts that are
//   read. Before it comes a condition read from its alternatives, which every row meets for which the part is
//   true.

import Foundation

/// An expression of Foundation's predicates that can be read, in some cases.
protocol ReadableExpression: PredicateExpression {
  /// The value in terms of the row; nil if there are no such terms, so that the expression is evaluated (F6).
  func read(_ reader: PredicateReader) -> ReadValue<Output>?
}

/// Reads the expressions of a predicate. Nothing is evaluated but constants, and no code of Foundation's runs that may
/// end the process, such as an overflow.
struct PredicateReader {
  /// The values of the variables: each a `ReadValue`.
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
