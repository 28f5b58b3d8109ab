/// Where commits are recorded.
struct Inbox {
  var newest: StoreState
  /// What was committed since the last pass, in order.
  var parts: [Part] = []
  /// Whether anything observes; if not, and after the store was closed, commits are not recorded.
  var isActive = false
  /// Whether some observer wants each commit checked by its origin.
  var keepsRecords = false
  var isScheduled = false

  /// What a pass routes at once.
  enum Part: Sendable {
    /// - Parameter writer: the actor that wrote it, if it has models: these tell their own writes from others.
    case commit(CommitRecord, writer: ActorID?)
    /// Several commits, by no matter whom, whose sum is enough.
    case sum(through: StoreState)
  }

  init(newest: StoreState) { self.newest = newest }

  /// Adds a commit: by itself where it is checked by its origin or its writer, else to the sum of those before it.
  ///
  /// - Returns: the part that it was merged with.
  mutating func add(_ record: CommitRecord, writer: ActorID?) -> Part? {
    switch parts.last {
    case .commit(_, writer: nil) where !keepsRecords && writer == nil,
      .sum where !keepsRecords && writer == nil:
      let merged = parts.removeLast()
      parts.append(.sum(through: record.after))
      return merged
    default:
      parts.append(.commit(record, writer: writer))
      return nil
    }
  }
}
