extension TableState {
  /// Checks that ids and indexes match the objects in the rows, for tests.
  ///
  /// - Returns: the first mistake; nil when there is none.
  /// - Complexity: O(*n* log *n*).
  package func _checkInvariants(_ info: EntityInfo) -> String? {
    rows._checkInvariants()
    ids._checkInvariants()
    var objects: [(row: UInt64, object: UnsafeRawPointer)] = []
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() { objects.append((entry.key.first, entry.payload)) }
    if let last = objects.last, last.row >= nextRow { return "row \(last.row) is not below \(nextRow)" }
    if ids.count + collided.count != objects.count { return "there are not as many ids as rows" }
    for (row, object) in objects where !rows(ofHash: info.ids.hash(object)).contains(row) {
      return "\(info.name) \(info.ids.text(object)) is not found by its id"
    }
    // P1
    objects.removeAll { isPending($0.row) }
    for (number, index) in info.indexes.enumerated() {
      indexes[number]._checkInvariants { left, right in
        index.compare?(existing(left.second), existing(right.second)) ?? 0
      }
      let expected = Set(objects.map { TreeKey(index.key($0.object), $0.row) })
      if indexes[number].keys != expected {
        return "the index of \(info.name).\(index.name) is stale"
      }
    }
    for (number, index) in info.inverted.enumerated() {
      inverted[number]._checkInvariants()
      var expected: Set<TreeKey> = []
      for (row, object) in objects {
        for hash in index.hashes(object) { expected.insert(TreeKey(hash, row)) }
      }
      if inverted[number].keys != expected {
        return "the inverted index of \(info.name).\(index.name) is stale"
      }
    }
    return nil
  }
}

extension Tree {
  fileprivate var keys: Set<TreeKey> {
    var keys: Set<TreeKey> = []
    var cursor = TreeCursor(self, at: 0)
    while let entry = cursor.next() { keys.insert(entry.key) }
    return keys
  }
}
