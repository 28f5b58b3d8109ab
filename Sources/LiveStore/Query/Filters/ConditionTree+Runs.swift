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

extension QueryStage {
  /// How many conditions and keys are tested and compared in about the time that the visit of a row takes.
  fileprivate static let partsPerVisit = 16

  /// How many conditions, operations and keys there are.
  fileprivate var partCount: Int {
    order.keys.reduce(filter.partCount + distinct.count) { $0 + 1 + $1.path.partCount }
  }
}

extension ConditionTree {
  /// How many conditions and operations there are, with those on linked objects and elements.
  fileprivate var partCount: Int {
    switch self {
    case .constant: 0
    case .condition(let condition): condition.form.partCount
    case .all(let filters), .any(let filters): filters.reduce(0) { $0 + $1.partCount }
    case .not(let filter): filter.partCount
    }
  }
}

extension Condition.Form {
  fileprivate var partCount: Int {
    switch self {
    case .some(let path, let filter): 1 + path.partCount + filter.partCount
    case .outer(_, let condition): condition.form.partCount
    case .program(let program): program.conditions.reduce(0) { $0 + $1.form.partCount }
    case .compareProperties(let left, _, let right): 1 + left.partCount + right.partCount
    case .compare(let path, _, _), .range(let path, _, _), .member(let path, _), .link(let path, _),
      .element(let path, _), .text(let path, .beginsWith, _, []), .text(let path, .endsWith, _, []),
      .text(let path, .equals, _, []):
      1 + path.partCount
    // A short text is folded, searched, or split into words, for each.
    case .text(let path, _, _, _), .search(let path, _): 8 + path.partCount
    // Numbers go through their decimals; a text is made a pattern for each row.
    case .pair(let left, _, let right): 16 + left.partCount + right.partCount
    // Each of its operations takes some letters.
    case .general(_, let text): 8 + text.byteCount / 16
    case .closure, .predicate: 1
    }
  }
}

extension PropertyPath {
  /// How many operations and conditions its steps are.
  fileprivate var partCount: Int {
    steps.reduce(0) { count, step in
      switch step {
      case .filter(let condition): count + (condition.value(as: ConditionTree.self)?.partCount ?? 1)
      case .operation(_, let other), .aggregate(_, let other): count + 1 + other.partCount
      default: count
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

  /// An evaluation, to be abandoned if the task that asks for it is cancelled, where it is limited.
  func makeRun() -> FilterRun {
    FilterRun(maximumVisits: maximumVisits, weight: weight, isAbandoned: isAbandoned)
  }

  /// As how many visits that of a row counts, for what is tested and compared in it.
  var weight: Int {
    maximumVisits == nil ? 1 : 1 + reduce(0) { $0 + $1.partCount } / QueryStage.partsPerVisit
  }

  /// Whether the task that asks for a limited evaluation was cancelled; nil if it is not limited.
  var isAbandoned: (@Sendable () -> Bool)? {
    if maximumVisits == nil { return nil }
    return { Task.isCancelled }
  }
}
