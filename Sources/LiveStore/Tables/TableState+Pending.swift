// Many insertions.
//
// An insertion gives an object its row and lists its id. The other indexes list the row later, together with
// all others that were inserted since: their entries are collected, sorted by their words, digit by digit,
// and inserted in order (`TableState+Pending`). A tree appends sorted entries, or inserts them one after the
// other into the nodes concerned, or, if they are more than a sixteenth of its own, is built again with an
// eighth of each node free (`Tree.insert(sorted:)`).
//
// - **P1** Rows from `firstPending` on are pending: no index lists them, and every index lists all others.
//   One number is enough, since new rows have ascending numbers. An edit of a pending row touches no index.
// - **P2** Pending rows are listed before an index is read: in `TransactionState.context`, which all
//   queries of a transaction read, before a deletion or undo searches for links, and at commit. So no
//   `StoreState` has any. Lookups by id do not need it.
// - **P3** A savepoint that is undone makes rows pending again that it listed. They are then listed at
//   once, or a loop of such savepoints would sort them every time.
// - **P4** An order that may be inconsistent cannot break a tree: if neighbours among the sorted entries
//   are not in order, the rows are inserted one after the other, each compared with its neighbours.
//
// For an empty table that is to be filled, leaves of the id index are made for all objects that the sequence
// announces (`HashIndex.reserve`), and leaves that were not needed are merged at the end (`mergeLeaves`). So
// these leaves are not enlarged and divided on the way, and no freed memory of many sizes is left, over which
// the leaves of the table would be scattered: they become neighbours, which is best for scans.
//
// Objects that are inserted together are processed in portions of 256. Their ids are hashed where their type
// is known. The leaves of the next sixteen hashes are read before these are inserted, so that the processor
// waits for them side by side (`HashIndex.insert(_:firstRow:)`). The objects are copied to the table's last
// leaves, a leaf at a time. The first object of a portion whose id's hash exists ends this, and the rest of
// the portion is inserted one by one.

// Rows that are inserted first and listed in the indexes later, many at once.
//
// An index of a million entries costs waits for memory for each entry that is inserted by itself. Entries that are
// sorted before are inserted side by side, and into a small index all at once.

extension TableState {
  package var hasPendingRows: Bool { firstPending != .max }

  /// Whether no index lists a row yet (P1).
  func isPending(_ row: UInt64) -> Bool { row >= firstPending }

  /// Lists the pending rows in all indexes.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows; less where many are listed.
  mutating func listPendingRows(_ info: EntityInfo) {
    let pending = rows.partitionPoint(first: firstPending) { _ in false }..<rows.count
    firstPending = .max
    if pending.count <= 1 {
      let rows = rows
      var cursor = TreeCursor(rows, at: pending.lowerBound)
      while let entry = cursor.next() { insertEntries(entry.key.first, entry.payload, info) }
      return
    }
    var buffer = KeyBuffer()
    for index in indexes.indices { insertEntries(pending, index, info.indexes[index], &buffer) }
    for index in inverted.indices { insertEntries(pending, index, info.inverted[index], &buffer) }
  }

  /// Lists the rows at some ranks in an index.
  private mutating func insertEntries(
    _ ranks: Range<Int>, _ index: Int, _ info: IndexInfo, _ buffer: inout KeyBuffer
  ) {
    let rows = rows
    let compare = info.compare.map { compare in
      { (left: UInt64, right: UInt64) in compare(rows.listedObject(left), rows.listedObject(right)) }
    }
    forEachPortion(ranks, &buffer, size: { $0.indexes[index].count }) { keys, row, object in
      keys.append(TreeKey(info.key(object), row))
    } body: { state, buffer in
      buffer.sortByWords()
      if let compare {
        buffer.sortTies(compare)
        // Insertions one by one compare each entry with its neighbours (P4).
        if !info.isConsistent, !buffer.areTiesInOrder(compare) {
          for key in buffer.keys {
            state.insertEntry(index, key.second, rows.listedObject(key.second), info)
          }
          return
        }
      }
      state.indexes[index].insert(sorted: buffer.keys, compare: compare)
    }
  }

  private mutating func insertEntries(
    _ ranks: Range<Int>, _ index: Int, _ info: any InvertedIndex, _ buffer: inout KeyBuffer
  ) {
    forEachPortion(ranks, &buffer, size: { $0.inverted[index].count }) { keys, row, object in
      for hash in info.hashes(object) { keys.append(TreeKey(hash, row)) }
    } body: { state, buffer in
      buffer.sortByWords()
      buffer.removeRepetitions()
      state.inverted[index].insert(sorted: buffer.keys)
    }
  }

  /// Collects the entries of rows for an index, and calls a closure with portions of as many entries as the
  /// index has, so that they take about as much memory. The entries of one row are in one portion.
  private mutating func forEachPortion(
    _ ranks: Range<Int>, _ buffer: inout KeyBuffer, size: (TableState) -> Int,
    append: (inout ContiguousArray<TreeKey>, _ row: UInt64, _ object: UnsafeRawPointer) -> Void,
    body: (inout TableState, inout KeyBuffer) -> Void
  ) {
    let rows = rows
    let stride = rows.layout.stride
    func room() -> Int { max(1 << 20, size(self)) }
    buffer.removeAll()
    buffer.keys.reserveCapacity(min(room(), ranks.count))
    rows.forEachLeaf(in: ranks) { leaf, objects, count in
      for slot in 0..<count { append(&buffer.keys, leaf[slot].first, objects + slot * stride) }
      if buffer.keys.count >= room() {
        body(&self, &buffer)
        buffer.removeAll()
      }
      return true
    }
    if !buffer.keys.isEmpty { body(&self, &buffer) }
  }
}
