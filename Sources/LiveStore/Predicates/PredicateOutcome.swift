import Foundation

/// For which rows a condition of a predicate is true, nil, or has no value since its evaluation throws. For all others
/// it is false (F7).
struct PredicateOutcome {
  /// The rows for which it is true.
  var holds: ConditionTree
  /// The rows for which it is nil; nil if there are none.
  var isNil: ConditionTree?
  /// The rows for which it does not throw; nil for all.
  var isDefined: ConditionTree?
  /// Variables that are known to be bound where it holds.
  var bound: Set<PredicateExpressions.VariableID> = []

  init(_ holds: ConditionTree) { self.holds = holds }

  /// A condition on a value of a row.
  ///
  /// - Parameter failsWithoutValue: whether `holds` is false wherever a guard of the value does not hold.
  init(_ holds: ConditionTree, _ guards: [ReadGuard], failsWithoutValue: Bool) {
    let thrown = guards.filter { $0.variable == nil }.map(\.condition)
    isDefined = thrown.isEmpty ? nil : .all(of: thrown)
    if failsWithoutValue {
      self.holds = holds
      bound = Set(guards.compactMap(\.variable))
    } else {
      self.holds = isDefined.map { $0.and(holds) } ?? holds
    }
  }

  /// Evaluation throws for all rows.
  static var failure: PredicateOutcome {
    var truth = PredicateOutcome(.constant(false))
    truth.isDefined = .constant(false)
    return truth
  }
}

extension PredicateOutcome {
  /// The rows for which it is false.
  private var isFalse: ConditionTree {
    var rows = holds.negated
    if let isNil { rows = isNil.negated.and(rows) }
    if let isDefined { rows = isDefined.and(rows) }
    return rows
  }

  // Operands are evaluated in order: the second one is not, and so does not throw, where the first decides.

  func and(_ other: PredicateOutcome) -> PredicateOutcome {
    var truth = PredicateOutcome(holds.and(other.holds))
    truth.isDefined = defined(other.isDefined.map { isFalse.or($0) })
    truth.bound = bound.union(other.bound)
    return truth
  }

  func or(_ other: PredicateOutcome) -> PredicateOutcome {
    let either = holds.or(other.holds)
    var truth = PredicateOutcome(isDefined.map { $0.and(either) } ?? either)
    truth.isDefined = defined(other.isDefined.map { holds.or($0) })
    truth.bound = bound.intersection(other.bound)
    return truth
  }

  /// The negation; nil stays nil.
  var negated: PredicateOutcome {
    var truth = PredicateOutcome(isFalse)
    truth.isNil = isNil
    truth.isDefined = isDefined
    return truth
  }

  /// Whether the condition is nil.
  var isMissing: PredicateOutcome {
    var truth = PredicateOutcome(isNil ?? .constant(false))
    truth.isDefined = isDefined
    return truth
  }

  /// The condition with a default in place of nil.
  func coalescing(_ other: PredicateOutcome) -> PredicateOutcome {
    guard let isNil else { return self }
    var truth = PredicateOutcome(holds.or(isNil.and(other.holds)))
    truth.isDefined = defined(other.isDefined.map { isNil.negated.or($0) })
    if case .constant(false) = other.holds { truth.bound = bound }
    return truth
  }

  /// One of two conditions; nil if one of the three may be undefined.
  func choosing(_ first: PredicateOutcome, otherwise second: PredicateOutcome) -> PredicateOutcome? {
    guard isTotal, first.isTotal, second.isTotal else { return nil }
    return PredicateOutcome(holds.and(first.holds).or(holds.negated.and(second.holds)))
  }

  /// The condition on a variable as an optional, which is nil where the variable's value is.
  ///
  /// - Parameter guards: the guards of the variable's value: where it throws, so does this condition.
  func ofVariable(
    _ variable: PredicateExpressions.VariableID, isMissing: ConditionTree, _ guards: [ReadGuard]
  ) -> PredicateOutcome {
    var truth = self
    if !bound.contains(variable) { truth.holds = isMissing.negated.and(holds) }
    truth.isNil = isNil.map { isMissing.or($0) } ?? isMissing
    truth.isDefined = isDefined.map { isMissing.or($0) }
    truth.bound.remove(variable)
    let thrown = guards.filter { $0.variable == nil }.map(\.condition)
    if thrown.isEmpty { return truth }
    let hasValue = ConditionTree.all(of: thrown)
    truth.holds = hasValue.and(truth.holds)
    truth.isNil = truth.isNil.map { hasValue.and($0) }
    truth.isDefined = truth.isDefined.map { hasValue.and($0) } ?? hasValue
    return truth
  }

  private var isTotal: Bool { isNil == nil && isDefined == nil }

  /// Where this is defined, and further rows are.
  private func defined(_ rows: ConditionTree?) -> ConditionTree? {
    guard let isDefined else { return rows }
    return rows.map { isDefined.and($0) } ?? isDefined
  }
}
