/// A timer that has commits routed at intervals (L20).
struct RoutingTimer: Sendable {
  let number: Int
  let interval: Duration
  /// How many intervals have passed without commits.
  var idle = 0
}

/// Where commits are recorded.
struct Inbox {
  var newest: StoreState
  /// The commits since the last pass, in order; several by any writers may be one record, which is routed at once.
  private(set) var records: [CommitRecord] = []
  /// Whether there are observers; if not, and after the store was closed, commits are not recorded.
  var isActive = false
  /// Whether some observer needs each commit by itself, to check its origin.
  var keepsRecords = false
  var isScheduled = false
  /// How much later than a commit each observer lets its event come (L20).
  var tolerance = Duration.zero
  /// The timer that has commits routed; nil while there is none.
  private var timer: RoutingTimer?
  private var timers = 0
  var hasTimer: Bool { timer != nil }

  init(newest: StoreState) { self.newest = newest }

  /// Adds a commit: as its own record if its origin or its writer is checked, else to the sum of earlier ones.
  ///
  /// - Returns: the record that it was merged with.
  mutating func add(_ record: CommitRecord) -> CommitRecord? {
    guard let last = records.last, last.writer == nil, record.writer == nil, !keepsRecords else {
      records.append(record)
      return nil
    }
    records[records.count - 1] = CommitRecord(from: last.before, to: record.after)
    return last
  }

  /// What is to be done for a commit that was recorded.
  enum Next {
    /// It is routed with earlier ones.
    case nothing
    case route
    case start(RoutingTimer)
  }

  /// What the committing thread does for a commit.
  mutating func next() -> Next {
    if tolerance == .zero {
      defer { isScheduled = true }
      return isScheduled ? .nothing : .route
    }
    if let timer, timer.interval <= tolerance { return .nothing }
    timers += 1
    let next = RoutingTimer(number: timers, interval: tolerance)
    timer = next
    return .start(next)
  }

  /// A timer has fired.
  ///
  /// - Parameter limit: how many intervals without commits it goes on for.
  /// - Returns: whether there are commits, and how it goes on; nil if it ends.
  mutating func fired(_ fired: RoutingTimer, limit: Int) -> (hasCommits: Bool, next: RoutingTimer?) {
    let hasCommits = !records.isEmpty
    // A less tolerant observer may have come, for which there is another one.
    guard timer?.number == fired.number else { return (hasCommits, nil) }
    let idle = hasCommits ? 0 : fired.idle + 1
    timer =
      tolerance == .zero || idle > limit
      ? nil : RoutingTimer(number: fired.number, interval: tolerance, idle: idle)
    return (hasCommits, timer)
  }

  /// Removes and returns all records.
  mutating func takeRecords() -> [CommitRecord] {
    defer { records = [] }
    return records
  }
}
