import Foundation

/// The parts of a predicate: those that can be read, as conditions of the store, and those that are evaluated.
struct PredicateParts<Element: Entity> {
  private let predicate: Predicate<Element>
  private let reader: PredicateReader

  init(_ predicate: Predicate<Element>) {
    self.predicate = predicate
    let row = ReadValue<Element>(source: .row(EntityRow<Element>()))
    reader = PredicateReader().binding(predicate.variable, to: row)
  }

  /// The objects for which the predicate is true, and does not throw.
  ///
  /// Each part of a conjunction is a condition of its own. An evaluated part comes after a condition that was
  /// read from it and that all objects meet for which the part is true, so that it selects candidates and
  /// routes changes (F8).
  var filter: ConditionTree {
    // Its row is the row of a query, also if the predicate is read in a closure of another query.
    RowLevels.with(0) { readFilter }
  }

  private var readFilter: ConditionTree {
    var (read, evaluated): ([ConditionTree], [ConditionTree]) = ([], [])
    for (index, part) in conjuncts(predicate.expression).enumerated() {
      if let truth = truth(part) {
        read.append(truth.holds)
      } else {
        read.append(bound(part))
        evaluated.append(.condition(condition(part, index)))
      }
    }
    return (read + evaluated).reduce(.constant(true)) { $0.and($1) }
  }

  private func truth(_ expression: some PredicateExpression) -> PredicateOutcome? {
    (reader.read(expression) as? ReadValue<Bool>)?.truth
  }

  private func conjuncts(_ expression: any PredicateExpression) -> [any PredicateExpression] {
    (expression as? any JoinedExpression)?.conjuncts?.flatMap { conjuncts($0) } ?? [expression]
  }

  /// A condition that all objects meet for which an expression is true.
  private func bound(_ expression: any PredicateExpression) -> ConditionTree {
    if let truth = truth(expression) { return truth.holds }
    guard let joined = expression as? any JoinedExpression else { return .constant(true) }
    if let parts = joined.conjuncts { return parts.reduce(.constant(true)) { $0.and(bound($1)) } }
    return joined.alternatives.reduce(.constant(false)) { $0.or(bound($1)) }
  }

  /// The condition that evaluates a part, for each object that meets the others.
  private func condition(_ part: any PredicateExpression, _ index: Int) -> Condition {
    let (predicate, variable) = (predicate, predicate.variable)
    let part = part as? any StandardPredicateExpression<Bool> ?? predicate.expression
    let mask: RowMask = { base, stride, count, _ in
      var bits: UInt64 = 0
      for index in 0..<count {
        // Each row of this entity's table holds an Element.
        let object = (base + index * stride).object(as: Element.self).pointee
        let isTrue = try? part.evaluate(PredicateBindings((variable, object)))
        if isTrue == true { bits |= 1 << UInt64(index) }
      }
      return bits
    }
    let identity = OpaqueCondition(PredicatePart(variable: variable.key, index: index))
    return Condition(term: .predicate(identity, .row(0)), mask: mask, candidates: nil)
  }
}

/// A part of a predicate: it equals only itself. Each predicate has a variable of its own.
private struct PredicatePart: Hashable, Sendable {
  let variable: PredicateExpressions.VariableID
  let index: Int
}

/// An expression that joins others.
private protocol JoinedExpression {
  /// The parts that all must be true; nil for alternatives.
  var conjuncts: [any PredicateExpression]? { get }
  /// The parts of which one must be true.
  var alternatives: [any PredicateExpression] { get }
}

extension PredicateExpressions.Conjunction: JoinedExpression {
  fileprivate var conjuncts: [any PredicateExpression]? { [lhs, rhs] }
  fileprivate var alternatives: [any PredicateExpression] { [] }
}

extension PredicateExpressions.Disjunction: JoinedExpression {
  fileprivate var conjuncts: [any PredicateExpression]? { nil }
  fileprivate var alternatives: [any PredicateExpression] { [lhs, rhs] }
}
