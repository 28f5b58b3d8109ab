/// A step of a query's upkeep: a commit, or the sum of several.
struct PendingStep: Sendable {
  let old: StoreState
  let new: StoreState
  /// The rows that can matter to the query; nil if they are not found yet.
  let rows: [RowChange]?
  private let changes: StoreChanges?
  /// The commit's origin, if one of the query's observers excludes it.
  let origin: String?
  /// The actor that wrote the commit, if it has models.
  let writer: ActorID?
  /// Whether it can matter to the query's result; other steps only have their origin checked.
  let isRelevant: Bool

  init(
    _ changes: StoreChanges, rows: [RowChange]?, origin: String?, writer: ActorID?, isRelevant: Bool = true
  ) {
    (old, new, self.changes, self.rows) = (changes.old, changes.new, changes, rows)
    (self.origin, self.writer, self.isRelevant) = (origin, writer, isRelevant)
  }

  /// A step between two states, whatever lies between them.
  init(from old: StoreState, to new: StoreState) {
    (self.old, self.new, changes, rows, origin, writer, isRelevant) = (old, new, nil, nil, nil, nil, true)
  }

  /// The same step with all rows that may matter, in place of those that were routed.
  var unrouted: PendingStep {
    changes.map { PendingStep($0, rows: nil, origin: origin, writer: writer) } ?? self
  }

  /// All that the commit changed.
  var allChanges: StoreChanges { changes ?? StoreChanges(from: old, to: new) }
}
