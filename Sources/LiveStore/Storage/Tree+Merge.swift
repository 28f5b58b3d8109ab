/// Inserting many entries at once.
extension Tree {
  /// Adds entries in ascending order, none of which is present, to a tree without payloads that is ordered by both
  /// words.
  ///
  /// If all are greater than the tree's own, they are appended. A few are inserted one after the other, which
  /// changes only the nodes concerned. For more than a sixteenth of the entries, when nearly every leaf would change,
  /// the tree is built again, with room in its nodes.
  /// - Parameter compare: compares the real keys behind two `second` words; nil where equal `first` words mean equal
  ///   keys.
  /// - Complexity: O(*k* log `count`) for *k* keys, or O(`count`) where that is less.
  package mutating func insert(
    sorted keys: ContiguousArray<TreeKey>, compare: ((UInt64, UInt64) -> Int)? = nil
  ) {
    precondition(layout.order == .both && layout.payload == .nothing, "the tree is ordered by keys alone")
    func isBefore(_ lhs: TreeKey, _ rhs: TreeKey) -> Bool {
      if lhs.first != rhs.first { return lhs.first < rhs.first }
      let sign = compare?(lhs.second, rhs.second) ?? 0
      return sign != 0 ? sign < 0 : lhs.second < rhs.second
    }
    guard let first = keys.first else { return }
    if !isEmpty, isBefore(entry(at: count - 1).key, first) {
      var builder = TreeBuilder(extending: &self)
      keys.withUnsafeBufferPointer { builder.append(keys: $0) }
      self = builder.finish()
    } else if keys.count < count / 16 {
      for key in keys {
        let isNew = insert(key, tie: { compare?(key.second, $0) ?? 0 }, initialize: { _ in })
        precondition(isNew, "no key is present")
      }
    } else {
      self = merged(with: keys, isBefore)
    }
  }

  private func merged(
    with keys: ContiguousArray<TreeKey>, _ isBefore: (TreeKey, TreeKey) -> Bool
  ) -> Tree {
    var builder = TreeBuilder(layout, leavingRoom: true)
    var run: ContiguousArray<TreeKey> = []
    var next = 0
    forEachLeaf(in: 0..<count) { entries, _, count in
      for slot in 0..<count {
        while next < keys.count, isBefore(keys[next], entries[slot]) {
          run.append(keys[next])
          next += 1
        }
        run.append(entries[slot])
      }
      run.withUnsafeBufferPointer { builder.append(keys: $0) }
      run.removeAll(keepingCapacity: true)
      return true
    }
    keys.withUnsafeBufferPointer { builder.append(keys: .init(rebasing: $0[next...])) }
    return builder.finish()
  }
}
