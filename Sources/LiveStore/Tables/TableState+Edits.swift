// Edits of a table: each changes the rows and all entries that lead to them.

extension TableState {
  /// Adds an object with a new id of this hash, as the last row, which the indexes list later (P1).
  mutating func append<Element: Entity>(
    _ object: Element, hash: UInt64, _ info: EntityInfo, stamp: UInt64
  ) {
    if info.hasIndexes { firstPending = min(firstPending, nextRow) }
    insert(object, hash: hash, info, row: nextRow, stamp: stamp)
  }

  /// Adds the objects of an array as the last rows, up to the first whose id has the hash of another; the indexes list
  /// them later.
  ///
  /// - Returns: how many were added.
  mutating func append<Element: Entity>(
    _ objects: ContiguousArray<Element>, hashes: ContiguousArray<UInt64>, _ info: EntityInfo, stamp: UInt64
  ) -> Int {
    let count = ids.insert(hashes, firstRow: nextRow)
    if count == 0 { return 0 }
    if info.hasIndexes { firstPending = min(firstPending, nextRow) }
    rows.append(nextRow, stamp: stamp, objects, count: count)
    nextRow += UInt64(count)
    return count
  }

  /// A table of rows with consecutive numbers, without indexes.
  ///
  /// - Parameters:
  ///   - rows: rows whose ids all differ.
  ///   - hashes: the hashes of the ids.
  /// - Complexity: O(*n*), for ids of equal hashes O(*n* log *n*).
  init(_ rows: Tree, hashes: ContiguousArray<UInt64>, _ info: EntityInfo) {
    precondition(hashes.count == rows.count && !info.hasIndexes, "each row has an id and nothing else")
    self.init(info)
    self.rows = rows
    if rows.count == 0 { return }
    let first = rows.entry(at: 0).key.first
    nextRow = first + UInt64(rows.count)
    let count = ids.insert(hashes, firstRow: first)
    for row in (first + UInt64(count))..<nextRow {
      insertID(row, existing(row), hash: hashes[Int(row - first)], info)
    }
  }

  /// Adds an object with a new id of this hash under a row number that was never given, or that a deleted row of this
  /// object had.
  mutating func insert<Element: Entity>(
    _ object: Element, hash: UInt64, _ info: EntityInfo, row: UInt64, stamp: UInt64
  ) {
    nextRow = max(nextRow, row + 1)
    rows.insert(TreeKey(row, stamp), object: object)
    withObject(object) { pointer in
      insertID(row, pointer, hash: hash, info)
      if !isPending(row) { insertEntries(row, pointer, info) }
    }
  }

  /// Replaces the object in a row by one of the same id.
  ///
  /// - Parameters:
  ///   - old: the object in the row.
  ///   - stamp: the new stamp, or nil when only ignored properties differ.
  /// - Returns: the stamp before.
  mutating func replace(
    _ row: UInt64, _ old: UnsafeRawPointer, by new: UnsafeRawPointer, _ info: EntityInfo, stamp: UInt64?
  ) -> UInt64 {
    if !info.hasIndexes || isPending(row) { return rows.replaceObject(row, by: new, stamp: stamp) }
    let changed = indexes.indices.filter { info.indexes[$0].isMoved(from: old, to: new) }
    // Entries are removed while the row still has the value that they are ordered by, and inserted after (T2).
    for index in changed { removeEntry(index, row, old, info.indexes[index]) }
    for index in inverted.indices {
      let (removed, added) = info.inverted[index].difference(from: old, to: new)
      unlist(row, removed, in: index)
      list(row, added, in: index)
    }
    let before = rows.replaceObject(row, by: new, stamp: stamp)
    for index in changed { insertEntry(index, row, new, info.indexes[index]) }
    return before
  }

  /// Copies a row from another state of the same table, present or absent.
  mutating func adopt(_ row: UInt64, from source: TableState, _ info: EntityInfo) {
    if object(row) != nil { remove(row, info) }
    guard let entry = source.rows.floor(row), entry.key.first == row else { return }
    insert(entry.payload, info, row: row, stamp: entry.key.second)
  }

  /// Replaces the object in a row by the one in another row of another state, or removes it if there is none.
  mutating func adopt(_ row: UInt64, from source: TableState, as place: UInt64, _ info: EntityInfo) {
    remove(place, info)
    guard let entry = source.rows.floor(row), entry.key.first == row else { return }
    insert(entry.payload, info, row: place, stamp: entry.key.second)
  }

  /// Adds a copy of an object with a new id under a free row number.
  private mutating func insert(_ object: UnsafeRawPointer, _ info: EntityInfo, row: UInt64, stamp: UInt64) {
    rows.insert(TreeKey(row, stamp), copying: object)
    insertID(row, object, hash: info.ids.hash(object), info)
    if !isPending(row) { insertEntries(row, object, info) }
    nextRow = max(nextRow, row + 1)
  }

  /// Gives the rows inserted since an older state the row numbers and stamps of rows deleted since, and takes over the
  /// older state's `nextRow`.
  ///
  /// - Parameter numbers: the deleted rows' numbers, ascending; as many as rows were inserted.
  mutating func renumber(last numbers: [UInt64], as older: TableState, _ info: EntityInfo) {
    for number in numbers {
      guard let stamp = older.rows.floor(number)?.key.second else { continue }
      let last = rows.entry(at: rows.partitionPoint(first: older.nextRow) { _ in false })
      info.withCopy(last.payload) { object in
        remove(last.key.first, info)
        insert(object, info, row: number, stamp: stamp)
      }
    }
    nextRow = older.nextRow
  }

  mutating func remove(_ row: UInt64, _ info: EntityInfo) {
    let object = existing(row)
    if !isPending(row) {
      for index in indexes.indices { removeEntry(index, row, object, info.indexes[index]) }
      for index in inverted.indices { unlist(row, info.inverted[index].hashes(object), in: index) }
    }
    removeID(row, object, info)
    rows.remove(TreeKey(row, 0))
  }

  /// Gives a row the stamp that it has in another state.
  mutating func restamp(_ row: UInt64, as other: TableState) {
    guard let entry = other.rows.floor(row), entry.key.first == row else { return }
    rows.setStamp(entry.key.second, at: TreeKey(row, 0))
  }

  /// Empties the table; row numbers continue.
  mutating func removeAll() {
    rows.removeAll()
    ids.removeAll()
    collided.removeAll()
    firstPending = .max
    for index in indexes.indices { indexes[index].removeAll() }
    for index in inverted.indices { inverted[index].removeAll() }
  }
}
