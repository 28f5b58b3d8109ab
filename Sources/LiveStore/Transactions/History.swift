// The history.
//
// The history is a bounded list of commits. `.everyCommit` and `commits(after:)` go through it with trees
// of their own; a consumer that falls behind gets `historyTruncated`.

/// The newest commits, as many as the configuration allows.
///
/// Bounded by commits and by rows changed, whichever is reached first. A commit larger than the bound stays until the
/// next commit.
struct History {
  private var records: [CommitRecord?] = []
  /// Index of the oldest record. The slots before it are empty; they are removed when they are half of the array.
  private var start = 0
  private var rowCount = 0
  let maximumCommits: Int
  let maximumRows: Int

  init(maximumCommits: Int, maximumRows: Int) {
    self.maximumCommits = maximumCommits
    self.maximumRows = maximumRows
  }

  var count: Int { records.count - start }

  /// The version before the oldest commit held, where a consumer may start; nil when no commit is held.
  var oldest: Version? { count > 0 ? records[start]?.before.version : nil }

  /// The versions that it holds.
  var versions: ClosedRange<Version>? {
    guard let oldest, let newest = records.last??.version else { return nil }
    return oldest...newest
  }

  /// Adds a commit and returns the commits that it displaces, for the caller to free outside the lock: the oldest, and
  /// those after it, of which there are rarely any.
  mutating func append(_ record: CommitRecord) -> (oldest: CommitRecord?, others: [CommitRecord]) {
    rowCount += record.rowCount
    records.append(record)
    guard let oldest = removeExcess() else { return (nil, []) }
    var others: [CommitRecord] = []
    while let next = removeExcess() { others.append(next) }
    if start > 32, start * 2 > records.count {
      records.removeSubrange(..<start)
      start = 0
    }
    return (oldest, others)
  }

  /// Removes the oldest commit if there are too many.
  private mutating func removeExcess() -> CommitRecord? {
    guard count > maximumCommits || (rowCount > maximumRows && count > 1),
      let oldest = records[start].take()
    else { return nil }
    rowCount -= oldest.rowCount
    start += 1
    return oldest
  }

  /// The commit that followed `version`, if it is held.
  func record(after version: Version) -> CommitRecord? {
    guard let oldest, version >= oldest else { return nil }
    let distance = version.number - oldest.number
    return distance < UInt64(count) ? records[start + Int(distance)] : nil
  }
}
