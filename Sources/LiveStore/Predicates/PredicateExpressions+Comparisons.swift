import Foundation

extension PredicateExpressions.Equal: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let left = reader.read(lhs), let right = reader.read(rhs) else { return nil }
    return left.equality(with: right, .equal)
  }
}

extension PredicateExpressions.NotEqual: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let left = reader.read(lhs), let right = reader.read(rhs) else { return nil }
    return left.equality(with: right, .notEqual)
  }
}

extension PredicateExpressions.Comparison: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    // Foundation orders text by the `<` of String, which differs from the store's order for decomposed text.
    guard ValueOrder<LHS.Output>.ofText() == nil, let left = reader.read(lhs), let right = reader.read(rhs)
    else { return nil }
    switch op {
    case .lessThan: return left.order(with: right, .less)
    case .lessThanOrEqual: return left.order(with: right, .lessOrEqual)
    case .greaterThan: return left.order(with: right, .greater)
    case .greaterThanOrEqual: return left.order(with: right, .greaterOrEqual)
    @unknown default: return nil
    }
  }
}

extension ReadValue where Output: Equatable {
  /// The condition that two values are equal, or that they differ.
  fileprivate func equality(with other: ReadValue, _ comparison: Comparison) -> ReadValue<Bool>? {
    switch (source, other.source) {
    case (.constant(let left), .constant(let right)):
      return .constant((left == right) == (comparison == .equal))
    case (.constant, _): return other.equality(with: self, comparison)
    case (.condition(let truth), .constant(let value)):
      let equal =
        switch value as? Bool {
        case true?: truth
        case false?: truth.negated
        case nil: truth.isMissing
        }
      return .condition(comparison == .equal ? equal.total : equal.total.negated)
    case (.value(let expr), .constant(let value)):
      let isMissing = (value as? any OptionalValue)?.isNil ?? false
      let filter =
        witness.flatMap { expr.compared(comparison, value, $0) }
        ?? (isMissing ? expr.missing(isNil: comparison == .equal) : nil)
      return condition(filter, comparison == .equal && !isMissing)
    case (.unwrapped(let expr), .constant(let value)):
      return condition(witness.flatMap { expr.compared(comparison, value, $0) }, comparison == .equal)
    case (.value(let left), .value(let right)):
      return paired(witness.flatMap { left.paired(comparison, right, $0) }, other)
    case (.unwrapped(let left), .unwrapped(let right)):
      return paired(witness.flatMap { left.paired(comparison, right, $0) }, other)
    default: return nil
    }
  }
}

extension ReadValue where Output: Comparable {
  /// The condition that two values are in an order.
  fileprivate func order(with other: ReadValue, _ comparison: Comparison) -> ReadValue<Bool>? {
    switch (source, other.source) {
    case (.constant, .constant): return nil
    case (.constant, _): return other.order(with: self, comparison.flipped)
    case (.value(let expr), .constant(let value)):
      return condition((witness as? any OrderedWitness)?.compare(expr, comparison, value), true)
    case (.unwrapped(let expr), .constant(let value)):
      // The witness of the value behind the optional; user types have none there.
      let witness = plainWitness(Output.self) as? any OrderedWitness
      return condition(witness?.compare(expr, comparison, value), true)
    case (.value(let left), .value(let right)):
      let witness = witness as? any OrderedWitness
      return paired(witness.flatMap { $0.pair(left, comparison, right) }, other)
    default: return nil
    }
  }
}

extension ReadValue {
  /// The condition that a filter on this value stands for.
  ///
  /// - Parameter failsWithoutValue: whether the filter is false wherever a guard does not hold.
  func condition(_ filter: ConditionTree?, _ failsWithoutValue: Bool) -> ReadValue<Bool>? {
    filter.map { .condition(PredicateOutcome($0, guards, failsWithoutValue: failsWithoutValue)) }
  }

  /// The condition that a filter on this value and another one stands for.
  fileprivate func paired(_ filter: ConditionTree?, _ other: ReadValue) -> ReadValue<Bool>? {
    filter.map { .condition(PredicateOutcome($0, guards + other.guards, failsWithoutValue: false)) }
  }
}

extension PredicateOutcome {
  /// The same, with false in place of nil.
  fileprivate var total: PredicateOutcome {
    var truth = self
    truth.isNil = nil
    return truth
  }
}
