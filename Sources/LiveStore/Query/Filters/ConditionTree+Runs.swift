// Which filters need a `FilterRun`, and what their tests cost.

extension ConditionTree {
  /// Whether evaluating it needs a ``FilterRun``: it matches patterns, or tests linked objects by their own
  /// links.
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

extension Term {
  /// As ``ConditionTree/needsRun``.
  var needsRun: Bool {
    switch self {
    case .text(_, .matches, _, _), .text(_, .like, _, _), .general: true
    case .pair(_, let relation, _): relation.operator == .matches || relation.operator == .like
    case .some(let objects, let condition), .filtered(let objects, let condition):
      objects.needsRun || condition.needsRun || condition.readsManyLinked
    default: anyPart(\.needsRun)
    }
  }

  /// Whether some condition in it follows links to several objects.
  private var readsManyLinked: Bool {
    switch self {
    case .all, .any, .not, .program: anyPart(\.readsManyLinked)
    default: readsSeveral && followsLinks
    }
  }

  /// Whether it reads linked objects.
  private var followsLinks: Bool {
    switch self {
    case .target, .linking: true
    default: anyPart(\.followsLinks)
    }
  }

  /// Whether it is about several objects, where it follows links.
  var readsSeveral: Bool {
    switch self {
    case .some, .general, .contains, .link, .search, .closure, .predicate, .filtered, .values, .aggregate,
      .function, .relevance, .linking:
      true
    default: anyPart(\.readsSeveral)
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
  fileprivate var partCount: Int {
    switch self {
    case .constant: 0
    case .condition(let condition): condition.term.partCount
    case .all(let filters), .any(let filters): filters.reduce(0) { $0 + $1.partCount }
    case .not(let filter): filter.partCount
    }
  }
}

extension Term {
  /// How many conditions and operations there are, with those on linked objects and elements.
  fileprivate var partCount: Int {
    var count = ownPartCount
    _ = anyPart { part in
      count += part.partCount
      return false
    }
    return count
  }

  private var ownPartCount: Int {
    switch self {
    // Each of these folds, searches or splits a short text.
    case .text(_, .contains, _, _), .text(_, .like, _, _), .text(_, .matches, _, _), .search: 8
    case .text(_, _, _, let options): options.isEmpty ? 1 : 8
    // Numbers are compared by their decimals; a text becomes a pattern for each row.
    case .pair: 16
    // Each step to its values is one at run time, and long constants are compared with each of them.
    case .general(let left, _, let right): 8 + (left.size + right.size) / 2
    case .some, .compare, .compareTerms, .range, .member, .link, .contains, .predicate, .closure, .operation,
      .aggregate:
      1
    default: 0
    }
  }
}

extension Term {
  /// How many values are computed for it, those of conditions on linked objects and elements included. What is read of
  /// rows counts as visits of these.
  private var size: Int {
    var size = 1
    switch self {
    case .constant(let value): size = value.size
    case .row, .element, .property, .target, .linking: size = 0
    default: break
    }
    _ = anyPart { part in
      size += part.size
      return false
    }
    return size
  }
}

extension [QueryStage] {
  /// Whether evaluation may end with errors, or gains from remembering answers.
  var needsRun: Bool { contains { $0.maximumVisits != nil || $0.filter.needsRun } }

  /// How many rows an evaluation may visit; nil for any number.
  var maximumVisits: Int? { compactMap(\.maximumVisits).min() }

  /// An evaluation; a limited one is abandoned if the task that asks for it is cancelled.
  func makeRun() -> FilterRun {
    FilterRun(maximumVisits: maximumVisits, weight: weight, isAbandoned: isAbandoned)
  }

  /// How many visits the visit of a row counts as, by the tests and comparisons in it.
  var weight: Int {
    maximumVisits == nil ? 1 : 1 + reduce(0) { $0 + $1.partCount } / QueryStage.partsPerVisit
  }

  /// Whether the task that asks for a limited evaluation was cancelled; nil if it is not limited.
  var isAbandoned: (@Sendable () -> Bool)? {
    if maximumVisits == nil { return nil }
    return { Task.isCancelled }
  }
}
