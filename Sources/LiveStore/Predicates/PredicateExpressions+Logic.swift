import Foundation

extension PredicateExpressions.Conjunction: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let left = reader.read(lhs)?.truth, let right = reader.read(rhs)?.truth else { return nil }
    return .condition(left.and(right))
  }
}

extension PredicateExpressions.Disjunction: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let left = reader.read(lhs)?.truth, let right = reader.read(rhs)?.truth else { return nil }
    return .condition(left.or(right))
  }
}

extension PredicateExpressions.Negation: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    (reader.read(wrapped)?.truth?.negated).map { .condition($0) }
  }
}

extension PredicateExpressions.Conditional: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<If.Output>? {
    guard let test = reader.read(test)?.truth,
      let first = (reader.read(trueBranch) as? ReadValue<Bool>)?.truth,
      let second = (reader.read(falseBranch) as? ReadValue<Bool>)?.truth
    else { return nil }
    return test.choosing(first, otherwise: second).map { ReadValue(source: .condition($0)) }
  }
}
