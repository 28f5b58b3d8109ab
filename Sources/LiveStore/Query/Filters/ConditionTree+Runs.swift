// What evaluating a filter needs a `FilterRun` for.

extension ConditionTree {
  /// Whether it has predicates whose errors are reported. They are only found directly in a conjunction.
  var mayThrow: Bool {
    conjuncts.contains { filter in
      if case .condition(let condition) = filter, case .predicate(_, true) = condition.form { return true }
      return false
    }
  }

  /// Whether evaluating it needs a ``FilterRun``: predicates may throw, patterns are matched, or objects that links
  /// lead to are asked about objects that their links lead to.
  var needsRun: Bool { contains(where: \.needsRun) }

  /// Whether it follows links to several objects.
  var readsManyLinked: Bool { contains(where: \.readsManyLinked) }

  private func contains(where test: (Condition) -> Bool) -> Bool {
    switch self {
    case .constant: false
    case .condition(let condition): test(condition)
    case .all(let filters), .any(let filters): filters.contains { $0.contains(where: test) }
    case .not(let filter): filter.contains(where: test)
    }
  }
}

extension Condition.Form {
  /// As ``ConditionTree/needsRun``.
  var needsRun: Bool {
    switch self {
    case .text(_, .matches, _, _), .text(_, .like, _, _), .general: true
    case .some(let path, let filter): filter.needsRun || filter.readsManyLinked || path.needsRun
    case .predicate(_, let reportsErrors): reportsErrors
    case .outer(_, let condition): condition.needsRun
    case .program(let program): program.conditions.contains(where: \.needsRun)
    case .pair(_, let relation, _) where relation.hasPrefix("MATCHES") || relation.hasPrefix("LIKE"): true
    case .compareProperties(let left, _, let right), .pair(let left, _, let right):
      left.needsRun || right.needsRun
    case .compare(let path, _, _), .range(let path, _, _), .member(let path, _), .link(let path, _),
      .element(let path, _), .text(let path, _, _, _), .search(let path, _):
      path.needsRun
    case .closure: false
    }
  }

  /// Whether it is about several objects, where it follows links.
  var readsSeveral: Bool {
    switch self {
    case .some, .general, .outer, .element, .link, .search, .closure, .predicate: true
    case .program(let program): program.conditions.contains(where: \.readsManyLinked)
    case .compareProperties(let left, _, let right), .pair(let left, _, let right):
      left.readsSeveral || right.readsSeveral
    case .compare(let path, _, _), .range(let path, _, _), .member(let path, _), .text(let path, _, _, _):
      path.readsSeveral
    }
  }
}

extension PropertyPath {
  /// Whether conditions among its steps need a ``FilterRun``.
  fileprivate var needsRun: Bool {
    steps.contains { step in
      switch step {
      case .filter(let condition):
        condition.value(as: ConditionTree.self).map { $0.needsRun || $0.readsManyLinked } ?? false
      case .operation(_, let other), .aggregate(_, let other): other.needsRun
      default: false
      }
    }
  }

  /// Whether some step is about several objects.
  fileprivate var readsSeveral: Bool {
    steps.contains { step in
      switch step {
      case .filter, .aggregate, .function, .linking: true
      case .operation(_, let other): other.readsSeveral
      default: false
      }
    }
  }
}

extension [QueryStage] {
  /// Whether predicates may throw for rows inside or outside the window.
  var mayThrow: Bool { contains { $0.filter.mayThrow } }

  /// Whether evaluation may end with errors, or gains from remembering answers.
  var needsRun: Bool { contains { $0.maximumVisits != nil || $0.filter.needsRun } }

  /// How many rows an evaluation may visit; nil for any number.
  var maximumVisits: Int? { compactMap(\.maximumVisits).min() }

  /// Whether the task that asks for an evaluation is cancelled, where it is limited; others are not abandoned.
  var isAbandoned: (@Sendable () -> Bool)? {
    if maximumVisits == nil { return nil }
    return { Task.isCancelled }
  }

  /// An evaluation, to be abandoned if the task that asks for it is cancelled, where it is limited.
  func makeRun() -> FilterRun { FilterRun(maximumVisits: maximumVisits, isAbandoned: isAbandoned) }
}
