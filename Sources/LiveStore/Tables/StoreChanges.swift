/// The changes between two states, table by table; pointers are valid while both states live.
package struct StoreChanges {
  let old: StoreState
  let new: StoreState
  private(set) var tables: [(table: Int, rows: [RowChange])] = []

  /// - Parameter tables: the rows that differ, by table.
  init(from old: StoreState, to new: StoreState, tables: [(table: Int, rows: [RowChange])]) {
    self.old = old
    self.new = new
    self.tables = tables
  }

  /// The changes between two states, from the difference of their tables.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows that differ, however many commits lie between.
  package init(from old: StoreState, to new: StoreState) {
    self.init(from: old, to: new, in: new.tables.indices)
  }

  /// The changes of some tables between two states.
  init(from old: StoreState, to new: StoreState, in tableIndices: some Sequence<Int>) {
    self.old = old
    self.new = new
    for table in tableIndices {
      let rows = Self.rows(old.tables[table].rows, new.tables[table].rows)
      if !rows.isEmpty { tables.append((table, rows)) }
    }
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

  package func rows(in table: Int) -> [RowChange] { tables.first { $0.table == table }?.rows ?? [] }
}
