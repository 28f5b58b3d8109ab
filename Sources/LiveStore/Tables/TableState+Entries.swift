// The entries that lead to a table's rows: ids, property indexes, inverted indexes.
//
// An entry that is not where its object says was made by an inconsistent `<`, `==` or hash: the id, or its index, is
// rebuilt from the rows.

// MARK: Ids

extension TableState {
  /// - Parameter hash: the hash of the object's id.
  mutating func insertID(_ row: UInt64, _ object: UnsafeRawPointer, hash: UInt64, _ info: EntityInfo) {
    if ids.insert(hash, row: row) { return }
    collisions += 1
    let rows = rows
    let compare = info.ids.compare
    collided.insert(
      TreeKey(hash, row), tie: { compare?(object, rows.listedObject($0)) ?? 0 })
  }

  mutating func removeID(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) {
    let hash = info.ids.hash(object)
    let compare = info.ids.compare
    let rows = rows
    guard ids.row(of: hash) == row else {
      let isThere = collided.remove(TreeKey(hash, row), tie: { compare?(object, rows.listedObject($0)) ?? 0 })
      if !isThere { rebuildIDs(without: row, info) }
      return
    }
    ids.remove(hash)
    // Another row of this hash takes the place, so a hash that is not in `ids` is not in `collided` either.
    var cursor = TreeCursor(collided, at: collided.partitionPoint(first: hash) { _ in false })
    guard let next = cursor.next()?.key, next.first == hash else { return }
    let successor = rows.listedObject(next.second)
    if collided.remove(next, tie: { compare?(successor, rows.listedObject($0)) ?? 0 }) {
      ids.insert(hash, row: next.second)
    } else {
      rebuildIDs(without: row, info)
    }
  }

  /// Rebuilds the entries of all ids except the id of one row.
  ///
  /// Needed where an id no longer has the hash or the order that it was listed with.
  private mutating func rebuildIDs(without row: UInt64, _ info: EntityInfo) {
    let known = collisions
    ids.removeAll()
    collided.removeAll()
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() {
      if entry.key.first != row {
        insertID(entry.key.first, entry.payload, hash: info.ids.hash(entry.payload), info)
      }
    }
    collisions = known
  }
}

// MARK: Property indexes

extension TableState {
  /// Lists a row in all indexes.
  mutating func insertEntries(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) {
    for index in indexes.indices { insertEntry(index, row, object, info.indexes[index]) }
    for index in inverted.indices { list(row, info.inverted[index].hashes(object), in: index) }
  }

  mutating func insertEntry(
    _ index: Int, _ row: UInt64, _ object: UnsafeRawPointer, _ info: IndexInfo
  ) {
    let rows = rows
    indexes[index].insert(
      TreeKey(info.key(object), row), tie: { info.compare?(object, rows.listedObject($0)) ?? 0 })
  }

  mutating func removeEntry(
    _ index: Int, _ row: UInt64, _ object: UnsafeRawPointer, _ info: IndexInfo
  ) {
    let rows = rows
    let key = TreeKey(info.key(object), row)
    let tie: (UInt64) -> Int = { info.compare?(object, rows.listedObject($0)) ?? 0 }
    let rank = info.isConsistent ? nil : indexes[index].rank(of: key, tie: tie)
    let isRemoved = indexes[index].remove(key, tie: tie)
    if isRemoved && (info.isConsistent || isInOrder(index, at: rank, info)) { return }
    // The property's `<` is inconsistent. An insertion compares an entry with its neighbours, so neighbours
    // are in order, except two that a removal has just made neighbours. A rebuilt index has no such two.
    indexes[index].removeAll()
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next(), !isPending(entry.key.first) {
      if entry.key.first != row { insertEntry(index, entry.key.first, entry.payload, info) }
    }
  }

  /// Whether the entry at a rank and the one before it are in order.
  private func isInOrder(_ index: Int, at rank: Int?, _ info: IndexInfo) -> Bool {
    guard let rank else { return false }
    let index = indexes[index]
    guard rank > 0, rank < index.count else { return true }
    let (before, after) = (index.entry(at: rank - 1).key, index.entry(at: rank).key)
    return before.first != after.first
      || info.compare?(existing(before.second), existing(after.second)) ?? 0 <= 0
  }
}

// MARK: Inverted indexes

extension TableState {
  /// Lists the row under the hashes that do not list it yet.
  mutating func list(_ row: UInt64, _ hashes: some Sequence<UInt64>, in index: Int) {
    for hash in hashes { inverted[index].insert(TreeKey(hash, row)) }
  }

  mutating func unlist(_ row: UInt64, _ hashes: some Sequence<UInt64>, in index: Int) {
    for hash in hashes { inverted[index].remove(TreeKey(hash, row)) }
  }
}
