/// One entity's rows and indexes at one version: a value made of trees.
///
/// ```
/// rows     (row number, stamp) → object      insertion order
/// ids      hash of id → row number           one of each hash there is
/// collided (hash of id, row number)          the others; ties by `<` of the ids, else by row number
/// indexes  (value in 64 bits, row number)    ties by value, then by row number
/// inverted (hash of a target's id or of an element, row number)
///                                            one of each pair; what has equal hashes is told apart by reading
/// ```
/// A row number is given once, at insertion, and never again; the stamp is the version that last changed
/// the row. Objects are stored once, in `rows`; all else refers to them by row number.
@usableFromInline
package struct TableState: Sendable {
  package private(set) var rows: Tree
  package private(set) var ids = HashIndex()
  package private(set) var collided = Tree(.rowKeys)
  package private(set) var indexes: [Tree]
  package private(set) var inverted: [Tree]
  /// The number of the next row inserted; from 1.
  package private(set) var nextRow: UInt64 = 1
  /// Insertions whose id had the hash of another, by which lookup is slower than promised.
  package private(set) var collisions = 0

  package init(_ info: EntityInfo) {
    rows = Tree(info.layout)
    indexes = info.indexes.map { _ in Tree(.rowKeys) }
    inverted = info.inverted.map { _ in Tree(.rowKeys) }
  }

  package var count: Int { rows.count }

  /// The object in a row; nil when there is none. Valid while this value or a copy of it lives.
  @usableFromInline
  package func object(_ row: UInt64) -> UnsafeRawPointer? { rows.payload(first: row) }

  /// The object in a row that an index, a result or a caller knows to be there.
  func existing(_ row: UInt64) -> UnsafeRawPointer { rows.object(row) }
}

extension Tree {
  /// The object of a row that is known to be in this table.
  fileprivate func object(_ row: UInt64) -> UnsafeRawPointer {
    guard let object = payload(first: row) else {
      preconditionFailure("row \(row) is listed but not in its table: a value does not keep its order")
    }
    return object
  }
}

extension TreeLayout {
  /// Shared by all property indexes.
  static let rowKeys = TreeLayout.keys(order: .both)
}

extension TableState {
  /// The object whose id has this hash; one of them when there are several.
  ///
  /// - Complexity: O(log *n*).
  @inline(__always)
  func candidate(hash: UInt64) -> UnsafeRawPointer? {
    let row = ids.row(of: hash)
    return row == 0 ? nil : rows.payload(first: row)
  }

  /// The row whose id has this hash and for which `isMatch` is true of its object.
  ///
  /// - Parameter compare: the sought id compared with an object's, where ids have an order; asked for only
  ///   when hashes collide.
  /// - Complexity: O(log *n*), without an order plus the number of ids of this hash.
  @usableFromInline
  package func find(
    hash: UInt64, isMatch: (UnsafeRawPointer) -> Bool,
    compare: @autoclosure () -> ((UnsafeRawPointer) -> Int)?
  ) -> FoundRow? {
    let row = ids.row(of: hash)
    if row == 0 { return nil }
    let object = existing(row)
    if isMatch(object) { return FoundRow(row, object) }
    if collided.isEmpty { return nil }
    return findAmongCollisions(hash: hash, isMatch: isMatch, compare: compare())
  }

  private func findAmongCollisions(
    hash: UInt64, isMatch: (UnsafeRawPointer) -> Bool, compare: ((UnsafeRawPointer) -> Int)?
  ) -> FoundRow? {
    let start = collided.partitionPoint(first: hash) { row in compare.map { $0(existing(row)) > 0 } ?? false }
    var cursor = TreeCursor(collided, at: start)
    while let entry = cursor.next(), entry.key.first == hash {
      let object = existing(entry.key.second)
      if isMatch(object) { return FoundRow(entry.key.second, object) }
      if let compare, compare(object) < 0 { return nil }
    }
    return nil
  }

  /// The rows whose ids have this hash.
  func rows(ofHash hash: UInt64) -> [UInt64] {
    let row = ids.row(of: hash)
    var found = row == 0 ? [] : [row]
    var cursor = TreeCursor(collided, at: collided.partitionPoint(first: hash) { _ in false })
    while let entry = cursor.next(), entry.key.first == hash { found.append(entry.key.second) }
    return found
  }

  /// Whether another row than `row` has its value of a property.
  func isShared(_ index: Int, _ info: IndexInfo, by row: UInt64) -> UInt64? {
    let object = existing(row)
    let key = info.key(object)
    if let compare = info.compare {
      let start = indexes[index].partitionPoint(first: key) { compare(existing($0), object) < 0 }
      var cursor = TreeCursor(indexes[index], at: start)
      while let entry = cursor.next(), entry.key.first == key {
        let other = entry.key.second
        if compare(existing(other), object) != 0 { return nil }
        // Values that tie need not be equal.
        if other != row, info.property.functions.isSame(existing(other), object) { return other }
      }
      return nil
    }
    var cursor = TreeCursor(indexes[index], at: indexes[index].partitionPoint(first: key) { _ in false })
    while let entry = cursor.next(), entry.key.first == key {
      let other = entry.key.second
      if other != row, info.property.functions.isSame(existing(other), object) { return other }
    }
    return nil
  }
}

extension TableState {
  /// Adds an object whose id is not there yet, in the last place.
  mutating func insert<Element: Entity>(_ object: Element, _ info: EntityInfo, stamp: UInt64) {
    insert(object, info, row: nextRow, stamp: stamp)
  }

  /// Adds an object whose id is not there yet under a row number that the table has not given, or gave to
  /// this object and that is free.
  mutating func insert<Element: Entity>(_ object: Element, _ info: EntityInfo, row: UInt64, stamp: UInt64) {
    nextRow = max(nextRow, row + 1)
    rows.insert(TreeKey(row, stamp), object: object)
    withObject(object) { pointer in
      insertID(row, pointer, info)
      for index in indexes.indices { insertEntry(index, row, pointer, info.indexes[index]) }
      for index in inverted.indices { list(row, info.inverted[index].hashes(pointer), in: index) }
    }
  }

  /// Replaces the object in a row by one of the same id.
  ///
  /// - Parameter stamp: the new stamp, or nil when only ignored properties differ.
  mutating func replace(_ row: UInt64, by new: UnsafeRawPointer, _ info: EntityInfo, stamp: UInt64?) {
    let old = existing(row)
    let changed = indexes.indices.filter { info.indexes[$0].isMoved(from: old, to: new) }
    // Entries leave while every entry's row still has the value it is ordered by, and come back after.
    for index in changed { removeEntry(index, row, old, info.indexes[index]) }
    for index in inverted.indices {
      let (removed, added) = info.inverted[index].difference(from: old, to: new)
      unlist(row, removed, in: index)
      list(row, added, in: index)
    }
    rows.replaceObject(row, by: new, stamp: stamp)
    for index in changed { insertEntry(index, row, new, info.indexes[index]) }
  }

  /// Takes a row from another state of the same table as it is there: present or absent.
  mutating func adopt(_ row: UInt64, from source: TableState, _ info: EntityInfo) {
    if object(row) != nil { remove(row, info) }
    guard let entry = source.rows.floor(row), entry.key.first == row else { return }
    insert(entry.payload, info, row: row, stamp: entry.key.second)
  }

  /// Adds a copy of an object whose id is not there yet under a number that is free.
  private mutating func insert(_ object: UnsafeRawPointer, _ info: EntityInfo, row: UInt64, stamp: UInt64) {
    rows.insert(TreeKey(row, stamp), copying: object)
    insertID(row, object, info)
    for index in indexes.indices { insertEntry(index, row, object, info.indexes[index]) }
    for index in inverted.indices { list(row, info.inverted[index].hashes(object), in: index) }
    nextRow = max(nextRow, row + 1)
  }

  /// Gives the last rows the numbers and stamps that rows have in an older state, whose next row is then the next here.
  ///
  /// - Parameter numbers: of rows that are not there, ascending; as many as there are rows that the older state has not.
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
    for index in indexes.indices { removeEntry(index, row, object, info.indexes[index]) }
    for index in inverted.indices { unlist(row, info.inverted[index].hashes(object), in: index) }
    removeID(row, object, info)
    rows.remove(TreeKey(row, 0))
  }

  private mutating func removeID(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) {
    let hash = info.ids.hash(object)
    let compare = info.ids.compare
    let rows = rows
    guard ids.row(of: hash) == row else {
      let isThere = collided.remove(TreeKey(hash, row), tie: { compare?(object, rows.object($0)) ?? 0 })
      if !isThere { listIDs(without: row, info) }
      return
    }
    ids.remove(hash)
    // Another of this hash takes its place, so that a hash which is not in `ids` is nowhere.
    var cursor = TreeCursor(collided, at: collided.partitionPoint(first: hash) { _ in false })
    guard let next = cursor.next()?.key, next.first == hash else { return }
    let heir = rows.object(next.second)
    if collided.remove(next, tie: { compare?(heir, rows.object($0)) ?? 0 }) {
      ids.insert(hash, row: next.second)
    } else {
      listIDs(without: row, info)
    }
  }

  /// Lists all ids anew but that of a row, of which an id has another hash or order than when it was listed.
  private mutating func listIDs(without row: UInt64, _ info: EntityInfo) {
    let known = collisions
    ids.removeAll()
    collided.removeAll()
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() {
      if entry.key.first != row { insertID(entry.key.first, entry.payload, info) }
    }
    collisions = known
  }

  /// Gives a row the stamp that it has in another state.
  mutating func restamp(_ row: UInt64, as other: TableState) {
    guard let entry = other.rows.floor(row), entry.key.first == row else { return }
    rows.setStamp(entry.key.second, at: TreeKey(row, 0))
  }

  /// Empties the table; row numbers go on.
  mutating func removeAll() {
    rows.removeAll()
    ids.removeAll()
    collided.removeAll()
    for index in indexes.indices { indexes[index].removeAll() }
    for index in inverted.indices { inverted[index].removeAll() }
  }

  private mutating func insertID(_ row: UInt64, _ object: UnsafeRawPointer, _ info: EntityInfo) {
    let hash = info.ids.hash(object)
    if ids.insert(hash, row: row) { return }
    collisions += 1
    let rows = rows
    let compare = info.ids.compare
    collided.insert(
      TreeKey(hash, row), tie: { compare?(object, rows.object($0)) ?? 0 })
  }

  private mutating func insertEntry(
    _ index: Int, _ row: UInt64, _ object: UnsafeRawPointer, _ info: IndexInfo
  ) {
    let rows = rows
    indexes[index].insert(
      TreeKey(info.key(object), row), tie: { info.compare?(object, rows.object($0)) ?? 0 })
  }

  private mutating func removeEntry(
    _ index: Int, _ row: UInt64, _ object: UnsafeRawPointer, _ info: IndexInfo
  ) {
    let rows = rows
    let key = TreeKey(info.key(object), row)
    let tie: (UInt64) -> Int = { info.compare?(object, rows.object($0)) ?? 0 }
    let rank = info.isLawful ? nil : indexes[index].rank(of: key, tie: tie)
    let isRemoved = indexes[index].remove(key, tie: tie)
    if isRemoved && (info.isLawful || isInOrder(index, at: rank, info)) { return }
    // A value contradicts itself. Neighbours were in order when one of them was inserted between others: so they
    // all are, but for two that have just become neighbours, and in an index that is made anew.
    indexes[index].removeAll()
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() {
      if entry.key.first != row { insertEntry(index, entry.key.first, entry.payload, info) }
    }
  }

  /// Whether the entry at a rank does not stand before the one before it.
  private func isInOrder(_ index: Int, at rank: Int?, _ info: IndexInfo) -> Bool {
    guard let rank else { return false }
    let index = indexes[index]
    guard rank > 0, rank < index.count else { return true }
    let (before, after) = (index.entry(at: rank - 1).key, index.entry(at: rank).key)
    return before.first != after.first
      || info.compare?(existing(before.second), existing(after.second)) ?? 0 <= 0
  }

  /// Adds those of the hashes that the row is not listed under.
  private mutating func list(_ row: UInt64, _ hashes: some Sequence<UInt64>, in index: Int) {
    for hash in hashes { inverted[index].insert(TreeKey(hash, row)) }
  }

  private mutating func unlist(_ row: UInt64, _ hashes: some Sequence<UInt64>, in index: Int) {
    for hash in hashes { inverted[index].remove(TreeKey(hash, row)) }
  }
}

extension TableState {
  /// The ranks of the rows listed under a hash, in an inverted index.
  func range(_ index: Int, listedUnder hash: UInt64) -> Range<Int> {
    let tree = inverted[index]
    let start = tree.partitionPoint(first: hash) { _ in false }
    return start..<tree.partitionPoint(first: hash) { _ in true }
  }

  /// Calls `body` with the rows listed under a hash in an inverted index, in insertion order, until it returns false.
  /// Ids of equal hashes are listed together: that a row is here does not say which it links to.
  ///
  /// - Complexity: O(log *n*) plus what is found.
  func forEachRow(_ index: Int, listedUnder hash: UInt64, _ body: (UInt64) -> Bool) {
    let tree = inverted[index]
    var cursor = TreeCursor(tree, at: tree.partitionPoint(first: hash) { _ in false })
    while let entry = cursor.next(), entry.key.first == hash, body(entry.key.second) {}
  }

  /// Calls `body` with the rows that link to a target, in insertion order, until it returns false.
  ///
  /// - Complexity: O(log *n*) plus what is found.
  func forEachRow(
    _ link: Int, _ info: LinkInfo, linkingTo target: UnsafeRawPointer, hash: UInt64, _ body: (UInt64) -> Bool
  ) {
    forEachRow(link, listedUnder: hash) { row in
      info.isLinked(existing(row), to: target) ? body(row) : true
    }
  }
}
