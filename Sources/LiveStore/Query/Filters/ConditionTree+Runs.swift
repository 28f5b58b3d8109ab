// Which filters need a `FilterRun`, and what their tests cost.

extension ConditionTree {
  /// Whether evaluating it needs a ``FilterRun``: it matches patterns, or tests linked objects by their own
  /// links.
  var needsRun: Bool { contains(where: \.needsRun) }

  /// Whether it follows links to several objects.
  var readsManyLinked: Bool { contains(where: \.readsManyLinked) }

  /// Whether some condition passes a test.
  func contains(where test: (Condition) -> Bool) -> Bool {
    switch self {
    case .constant: false
    case .condition(let condition): test(condition)
    case .all(let filters), .any(let filters): filters.contains { $0.contains(where: test) }
    case .not(let filter): filter.contains(where: test)
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
