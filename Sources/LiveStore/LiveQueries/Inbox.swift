/// Where commits are recorded.
struct Inbox {
  var newest: StoreState
  /// What was committed since the last pass, in order.
  var parts: [Part] = []
  /// Whether there are observers; if not, and after the store was closed, commits are not recorded.
  var isActive = false
  /// Whether some observer needs each commit by itself, to check its origin.
  var keepsRecords = false
  var isScheduled = false

  /// A part that a pass routes at once: a commit, or the sum of several by any writers.
  struct Part: Sendable {
    let after: StoreState
    /// Nil for several commits.
    let record: CommitRecord?
    /// The actor that wrote the commit, if it has models: they distinguish its writes from those of others.
    let writer: ActorID?

    init(_ record: CommitRecord, writer: ActorID?) {
      (after, self.record, self.writer) = (record.after, record, writer)
    }

    /// Several commits.
    init(through state: StoreState) { (after, record, writer) = (state, nil, nil) }

    /// The changes since the state before.
    func changes(from old: StoreState) -> StoreChanges {
      record.map { StoreChanges($0) } ?? StoreChanges(from: old, to: after)
    }
  }

  init(newest: StoreState) { self.newest = newest }

  /// Adds a commit: as its own part if its origin or its writer is checked, else to the sum of earlier ones.
  ///
  /// - Returns: the part that it was merged with.
  mutating func add(_ part: Part) -> Part? {
    guard let last = parts.last, last.writer == nil, part.writer == nil, !keepsRecords else {
      parts.append(part)
      return nil
    }
    parts[parts.count - 1] = Part(through: part.after)
    return last
  }

  /// Removes and returns all parts.
  mutating func takeParts() -> [Part] {
    defer { parts = [] }
    return parts
  }
}
