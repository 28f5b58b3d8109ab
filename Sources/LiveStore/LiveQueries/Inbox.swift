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
  /// How often the timer fires that has commits routed; nil while there is none.
  private var timer: Duration?
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
    case startTimer(Duration)
  }

  /// What the committing thread does for a commit.
  mutating func next() -> Next {
    if tolerance == .zero {
      defer { isScheduled = true }
      return isScheduled ? .nothing : .route
    }
    if let timer, timer <= tolerance { return .nothing }
    timer = tolerance
    return .startTimer(tolerance)
  }

  /// The timer has fired.
  ///
  /// - Parameters:
  ///   - interval: how often it fires.
  ///   - isIdle: whether it ends unless there are commits.
  /// - Returns: whether there are commits, and when it fires next; nil if it ends.
  mutating func timerFired(_ interval: Duration, isIdle: Bool) -> (hasCommits: Bool, next: Duration?) {
    let hasCommits = !records.isEmpty
    // If there are less tolerant observers meanwhile, they have another timer, or need none.
    guard timer == interval else { return (hasCommits, nil) }
    timer = tolerance == .zero || isIdle && !hasCommits ? nil : tolerance
    return (hasCommits, timer)
  }

  /// Removes and returns all records.
  mutating func takeRecords() -> [CommitRecord] {
    defer { records = [] }
    return records
  }
}
