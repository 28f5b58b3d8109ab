/// What a query is brought over at once: a commit, or the sum of several.
struct PendingStep: Sendable {
  let old: StoreState
  let new: StoreState
  /// The rows that can matter to the query; nil where they are still to be found.
  let rows: [RowChange]?
  private let changes: StoreChanges?
  /// The origin, where one of the query's observers excludes it.
  let origin: String?
  /// The actor that wrote it, if it has models.
  let writer: ActorID?

  /// Whether it can matter to the query's result; others are there to be checked by their origin.
  let isRelevant: Bool

  /// A step with the rows that are routed to the query; nil if it was not routed to it.
  init(_ changes: StoreChanges, rows: [RowChange]?, origin: String?, writer: ActorID?) {
    self.changes = changes
    isRelevant = rows != nil
    old = changes.old
    new = changes.new
    self.rows = rows ?? []
    self.origin = origin
    self.writer = writer
  }

  /// A step that was not routed to the query, though it may matter to it.
  init(unrouted changes: StoreChanges, origin: String?, writer: ActorID?) {
    self.changes = changes
    isRelevant = true
    old = changes.old
    new = changes.new
    rows = nil
    self.origin = origin
    self.writer = writer
  }

  /// A step between two states, whatever lies between them.
  init(from old: StoreState, to new: StoreState) {
    self.old = old
    self.new = new
    isRelevant = true
    rows = nil
    changes = nil
    origin = nil
    writer = nil
  }

  /// The same step with all rows that may matter, in place of those that were routed.
  var unrouted: PendingStep {
    changes.map { PendingStep(unrouted: $0, origin: origin, writer: writer) } ?? self
  }

  /// All that the commit changed.
  var allChanges: StoreChanges { changes ?? StoreChanges(from: old, to: new) }
}
