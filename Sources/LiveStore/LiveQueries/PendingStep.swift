/// A step of a query's upkeep: a commit, or the sum of several.
struct PendingStep: Sendable {
  let record: CommitRecord
  /// The rows that can matter to the query; nil if they are not found yet.
  let rows: [RowChange]?
  /// All that changed, if it was found for routing.
  private let changes: StoreChanges?
  /// Whether one of the query's observers excludes the commit's origin.
  let isExcluded: Bool
  /// Whether it can matter to the query's result; other steps only have their origin checked.
  let isRelevant: Bool

  init(_ changes: StoreChanges, rows: [RowChange]?, isExcluded: Bool, isRelevant: Bool = true) {
    (record, self.changes, self.rows) = (changes.record, changes, rows)
    (self.isExcluded, self.isRelevant) = (isExcluded, isRelevant)
  }

  /// A step between two states, whatever lies between them.
  init(from old: StoreState, to new: StoreState) {
    (record, changes, rows) = (CommitRecord(from: old, to: new), nil, nil)
    (isExcluded, isRelevant) = (false, true)
  }

  var old: StoreState { record.before }
  var new: StoreState { record.after }

  /// The same step with all rows that may matter, in place of those that were routed.
  var unrouted: PendingStep {
    changes.map { PendingStep($0, rows: nil, isExcluded: isExcluded) } ?? self
  }

  /// All that the commit changed.
  var allChanges: StoreChanges { changes ?? StoreChanges(record) }
}
