/// The newest commits, as many as the configuration allows: a plain value.
///
/// Bounded by commits and by rows changed, whichever is reached first; one commit larger than the bound is
/// kept until the next.
struct History {
  private var records: [CommitRecord] = []
  /// Index of the oldest record; those before it are waiting for the array to be compacted.
  private var start = 0
  private var rowCount = 0
  let maximumCommits: Int
  let maximumRows: Int

  init(maximumCommits: Int, maximumRows: Int) {
    self.maximumCommits = maximumCommits
    self.maximumRows = maximumRows
  }

  var count: Int { records.count - start }

  /// The version before the oldest commit held: where a consumer may begin. Nil when nothing is held.
  var oldest: Version? { count > 0 ? records[start].before.version : nil }

  /// Adds a commit and returns what it pushes out, to be freed outside the lock.
  mutating func append(_ record: CommitRecord) -> [CommitRecord] {
    records.append(record)
    rowCount += record.rowCount
    var removed: [CommitRecord] = []
    while count > maximumCommits || (rowCount > maximumRows && count > 1) {
      removed.append(records[start])
      rowCount -= records[start].rowCount
      start += 1
    }
    if start > 64, start * 2 > records.count {
      records.removeSubrange(..<start)
      start = 0
    } else if start > 0 {
      // What is pushed out must not be held by the array.
      for index in max(0, start - removed.count)..<start { records[index] = records[records.count - 1] }
    }
    return removed
  }

  /// The commit that came right after `version`, if it is held.
  func record(after version: Version) -> CommitRecord? {
    guard let oldest, version >= oldest else { return nil }
    let index = start + Int(version.number - oldest.number)
    return index < records.count ? records[index] : nil
  }
}
