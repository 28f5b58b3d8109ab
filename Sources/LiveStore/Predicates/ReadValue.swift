import Foundation

/// The value of a predicate's expression, in terms of the row.
struct ReadValue<Output> {
  enum Source {
    case constant(Output)
    /// The row itself.
    case row(any PredicateRow)
    /// A value of the row. Where a guard does not hold, it is nil or means nothing.
    case value(Expr<Output>)
    /// A value of the row behind an optional, nil where a guard does not hold.
    case unwrapped(Expr<Output?>)
    /// A condition, for an output of `Bool` or `Bool?`.
    case condition(PredicateOutcome)
    /// Evaluation throws for every row.
    case failure
  }

  let source: Source
  /// The type of the values of the expression in `source`; nil if it is not known to be comparable.
  var witness: (any ValueWitness)?
  /// The conditions on a row under which the expression has a value.
  var guards: [ReadGuard] = []
}

/// A condition on which an expression has a value.
struct ReadGuard {
  /// The variable that is bound to a value only if it is not nil. Without one, evaluation throws where the condition
  /// does not hold.
  let variable: PredicateExpressions.VariableID?
  let condition: ConditionTree
}

extension ReadValue {
  static func constant(_ value: Output) -> ReadValue { ReadValue(source: .constant(value)) }

  /// The constant, if it is one.
  var constant: Output? { if case .constant(let value) = source { .some(value) } else { nil } }

  /// The same under other types' names, if the outputs are of one type.
  func typed<Other>(as _: Other.Type) -> ReadValue<Other>? { self as? ReadValue<Other> }
}

extension ReadValue<Bool> {
  static func condition(_ truth: PredicateOutcome) -> ReadValue { ReadValue(source: .condition(truth)) }

  /// The rows for which it is true.
  var truth: PredicateOutcome? {
    switch source {
    case .constant(let value): PredicateOutcome(.constant(value))
    case .value(let expr): PredicateOutcome(expr.filter, guards, failsWithoutValue: true)
    case .unwrapped(let expr): PredicateOutcome((expr == true).filter, guards, failsWithoutValue: true)
    case .condition(let truth): truth
    case .failure: .failure
    case .row: nil
    }
  }
}
