// Lookups in the indexes of a table.

extension TableState {
  /// An object whose id has this hash; nil when there is none.
  ///
  /// - Complexity: O(log *n*).
  @inline(__always)
  func candidate(hash: UInt64) -> UnsafeRawPointer? {
    let row = ids.row(of: hash)
    return row == 0 ? nil : rows.payload(first: row)
  }

  /// The row whose id has this hash and whose object `isMatch` accepts.
  ///
  /// - Parameter compare: compares the sought id with an object's, where ids have an order; evaluated only when hashes
  ///   collide.
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

  /// The row of the object with another object's id.
  func find(_ object: UnsafeRawPointer, _ info: EntityInfo) -> FoundRow? {
    find(
      hash: info.ids.hash(object), isMatch: { info.ids.isSame($0, object) },
      compare: info.ids.compare.map { compare in { compare(object, $0) } })
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

  /// Whether two rows may have the same value of a unique property: false only if no two neighbouring entries
  /// of its index have the same value.
  ///
  /// - Complexity: O(*n*), a fraction of the time of searching for each row.
  func mayHaveDuplicates(_ index: Int, _ info: IndexInfo) -> Bool {
    guard info.hasConsistentOrder else { return true }
    var last: TreeKey?
    var isFound = false
    indexes[index].forEachLeaf(in: 0..<indexes[index].count) { keys, _, count in
      for slot in 0..<count where !isFound {
        let key = keys[slot]
        if let last, last.first == key.first {
          let (left, right) = (existing(last.second), existing(key.second))
          isFound = info.compare?(left, right) ?? 0 == 0 && !info.hasNil(right)
        }
        last = key
      }
      return !isFound
    }
    return isFound
  }

  /// Another row with the same value of a unique property.
  func duplicate(of row: UInt64, _ index: Int, _ info: IndexInfo) -> UInt64? {
    assert(!hasPendingRows, "P2: indexes list all rows before they are read")
    let object = existing(row)
    let key = info.key(object)
    func compare(_ other: UInt64) -> Int { info.compare?(existing(other), object) ?? 0 }
    var cursor = TreeCursor(
      indexes[index], at: indexes[index].partitionPoint(first: key) { compare($0) < 0 })
    while let entry = cursor.next(), entry.key.first == key, compare(entry.key.second) == 0 {
      let other = entry.key.second
      // Values that tie need not be equal.
      if other != row, info.isSame(existing(other), object) { return other }
    }
    return nil
  }
}

extension TableState {
  /// The ranks of the rows listed under a hash, in an inverted index.
  func range(_ index: Int, listedUnder hash: UInt64) -> Range<Int> {
    let tree = inverted[index]
    let start = tree.partitionPoint(first: hash) { _ in false }
    return start..<tree.partitionPoint(first: hash) { _ in true }
  }

  /// The ranks of the rows listed under the keys of a range, in an inverted index.
  func range(_ index: Int, listedUnder keys: ClosedRange<UInt64>) -> Range<Int> {
    let tree = inverted[index]
    let start = tree.partitionPoint(first: keys.lowerBound) { _ in false }
    return start..<tree.partitionPoint(first: keys.upperBound) { _ in true }
  }

  /// Calls `body` with the rows listed under a hash in an inverted index, in insertion order, until it returns false.
  ///
  /// Ids of equal hashes are listed together, so a listed row is only a candidate.
  ///
  /// - Complexity: O(log *n*) plus the number of rows found.
  func forEachRow(_ index: Int, listedUnder hash: UInt64, _ body: (UInt64) -> Bool) {
    assert(!hasPendingRows, "P2: indexes list all rows before they are read")
    let tree = inverted[index]
    var cursor = TreeCursor(tree, at: tree.partitionPoint(first: hash) { _ in false })
    while let entry = cursor.next(), entry.key.first == hash, body(entry.key.second) {}
  }

  /// Calls `body` with the rows that link to a target, in insertion order, until it returns false.
  ///
  /// - Complexity: O(log *n*) plus the number of rows found.
  func forEachRow(
    _ link: Int, _ info: LinkInfo, linkingTo target: UnsafeRawPointer, hash: UInt64, _ body: (UInt64) -> Bool
  ) {
    forEachRow(link, listedUnder: hash) { row in
      info.isLinked(existing(row), to: target) ? body(row) : true
    }
  }
}
