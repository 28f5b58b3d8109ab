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

  /// Removes and returns all records.
  mutating func takeRecords() -> [CommitRecord] {
    defer { records = [] }
    return records
  }
}
