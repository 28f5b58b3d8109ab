/// A commit, or several together: what leads from one state to another.
///
/// An object, as it passes through several hands on each commit: the history, recorders, the inbox and the steps of
/// queries.
package final class CommitRecord: Sendable {
  package let before: StoreState
  package let after: StoreState
  package let origin: String?
  /// Names the actor that wrote the commit, if it has models: they distinguish its writes from those of others. The
  /// actor is not held; another one may have the same name once it is deallocated.
  let writer: ObjectIdentifier?
  /// The rows that the commit changed, by table; none if only ignored properties differ. Nil for several commits, whose
  /// tables are compared.
  let deltas: [TableDelta]?

  /// - Parameter deltas: nil for several commits.
  init(
    from before: StoreState, to after: StoreState, origin: String? = nil, writer: ObjectIdentifier? = nil,
    deltas: [TableDelta]? = nil
  ) {
    self.before = before
    self.after = after
    self.origin = origin
    self.writer = writer
    self.deltas = deltas
  }

  package var version: Version { after.version }
  /// How many rows a commit changed; 0 for the sum of several, which no history has.
  var rowCount: Int { deltas?.reduce(0) { $0 + $1.count } ?? 0 }
}

extension CommitRecord {
  /// The rows of a table that differ.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows that differ, however many commits lie between.
  func rows(in table: Int) -> [RowChange] {
    let (old, new) = (before.tables[table].rows, after.tables[table].rows)
    guard let deltas else { return Self.rows(old, new) }
    return deltas.first { $0.table == table }?.rows(old, new) ?? []
  }

  private static func rows(_ old: Tree, _ new: Tree) -> [RowChange] {
    if old.isIdentical(to: new) { return [] }
    let difference = Tree.difference(from: old, in: 0..<old.count, to: new, in: 0..<new.count)
    var result: [RowChange] = []
    result.reserveCapacity(max(difference.removed.count, difference.added.count))
    var added = difference.added[...]
    func append(_ row: UInt64, _ before: Bool, _ after: TreeKey?) {
      result.append(
        RowChange(
          row: row, old: before ? old.payload(first: row) : nil,
          new: after.flatMap { new.payload(first: $0.first) }, stamp: after?.second ?? 0))
    }
    for removed in difference.removed {
      while let entry = added.first, entry.key.first < removed.key.first {
        append(entry.key.first, false, entry.key)
        added.removeFirst()
      }
      let after = added.first.flatMap { $0.key.first == removed.key.first ? $0.key : nil }
      if after != nil { added.removeFirst() }
      append(removed.key.first, true, after)
    }
    for entry in added { append(entry.key.first, false, entry.key) }
    return result
  }
}

extension TableDelta {
  /// The rows before and after.
  fileprivate func rows(_ old: Tree, _ new: Tree) -> [RowChange] {
    var rows = touched.map { row -> RowChange in
      let entry = new.floor(row).flatMap { $0.key.first == row ? $0 : nil }
      return RowChange(
        row: row, old: old.payload(first: row), new: entry?.payload, stamp: entry?.key.second ?? 0)
    }
    if inserted.isEmpty { return rows }
    var cursor = TreeCursor(new, at: new.partitionPoint(first: inserted.lowerBound) { _ in false })
    while let entry = cursor.next() {
      rows.append(RowChange(row: entry.key.first, old: nil, new: entry.payload, stamp: entry.key.second))
    }
    return rows
  }
}
