// The invariants of the tree.
//
// - **S1** Keys ascend strictly within and across nodes; all leaves are equally deep.
// - **S2** A node's `total` is the number of entries below it; an inner slot's count is its child's
//   `total`.
// - **S3** A separator's `first` is exactly the `first` of its child's first key, slot 0 included, after
//   every edit. (So `floor` needs no test for "before the first", and a difference compares nodes that it has
//   not read.) Where both words are the key, its `second` is exact, too. (The tie closure looks rows up by
//   `second`: a stale separator could name a deleted row.) In trees ordered by `first`, the `second` of a
//   leaf's separator is a map instead: bit i is set iff the leaf has the number `first + i`, i < 64; higher
//   up it is 0.
// - **S4** A node off the right edge has at least ⌈capacity / 2⌉ slots, one at the right edge at least one,
//   an inner root two. A full rightmost node is split by starting a new one, so that loading in key order
//   fills nodes completely.
// - **S5** A node is written to only while a single reference to it exists. So everything that two trees
//   share is immutable. That is why `Tree` is `Sendable`, and why a payload's address is stable while a tree
//   with it lives. Where a node is replaced, the optimiser may free the old one after its last use by
//   reference, and making a view of it is such a use. So copies are made by `Node.copy` and `Node.madePlain`,
//   which extend its life.
// - **S6** Slots below `count` are initialised in every region of a node and no others, but for the one
//   element of S7; the payload region holds the layout's type and nothing else. In inner nodes the keys and
//   children of the other slots are zero, so that a guess may look there.
// - **S7** Only a leaf has another form than plain. A run is a leaf of values. Its entry in slot i has the
//   number of the first key plus i, and the first key's stamp. A leaf of one stamp has keys with stamps. Both
//   are made by `TreeBuilder` alone, which may also continue a run. Any other writer makes the leaf plain
//   first, in a copy if it is shared, else by moving its values. So edits meet plain leaves alone, and every
//   reader that may meet another form goes through `NodeView.key`, `NodeView.payload` or `LeafKeys`.
//
// `Tree._checkInvariants()` checks S1 to S4 and S7; tests of object lifetimes and hidden copies check S5
// and S6.

extension Tree {
  /// Checks the invariants S1 to S4, the zeros of S6 and the forms of S7, for tests.
  ///
  /// `compareTies` must be the closure that the tree was built with.
  /// - Complexity: O(`count`).
  package func _checkInvariants(compareTies: (TreeKey, TreeKey) -> Int = { _, _ in 0 }) {
    guard let root else { return }
    let view = NodeView(root)
    precondition(view.height == 0 || view.count >= 2, "an inner root has two children at least")
    _ = view.check(layout, isRightEdge: true, compareTies)
    precondition(view.total == count)
  }
}

extension NodeView {
  /// Returns the first and last key of the subtree.
  fileprivate func check(
    _ layout: TreeLayout, isRightEdge: Bool, _ compareTies: (TreeKey, TreeKey) -> Int
  ) -> (first: TreeKey, last: TreeKey) {
    precondition(self.layout === layout, "one layout throughout")
    precondition(capacity == (height == 0 ? layout.leafCapacity : layout.innerCapacity))
    precondition(count <= capacity, "no more slots than there is room for")
    checkForm()
    let minimum = height == 0 ? layout.leafMinimum : layout.innerMinimum
    precondition(count >= (isRightEdge ? 1 : minimum), "S4: underfull off the right edge")

    func isAscending(_ left: TreeKey, _ right: TreeKey) -> Bool {
      if left.first != right.first { return left.first < right.first }
      guard layout.order == .both else { return false }
      let sign = compareTies(left, right)
      return sign < 0 || (sign == 0 && left.second < right.second)
    }

    for slot in 1..<max(count, 1) {
      precondition(isAscending(key(slot - 1), key(slot)), "S1: keys ascend")
    }
    guard height > 0 else {
      precondition(total == count, "S2: a leaf's total is its count")
      precondition(
        Int(bitPattern: payloads) % layout.alignment == 0, "payloads are aligned")
      return (key(0), key(count - 1))
    }
    for slot in count..<capacity {
      let child = UnsafeMutableRawPointer(children + slot)
      precondition(
        keys[slot] == TreeKey(0, 0) && child.load(as: UInt.self) == 0, "S6: unused slots are zero")
    }
    var sum = 0
    var last = keys[0]
    for slot in 0..<count {
      let child = child(slot)
      precondition(child.height == height - 1, "S1: all leaves are equally deep")
      precondition(child.total == counts[slot], "S2: counts are those of the children")
      let bounds = child.check(layout, isRightEdge: isRightEdge && slot == count - 1, compareTies)
      let separator = keys[slot]
      precondition(separator.first == bounds.first.first, "S3: a separator is its child's first key")
      switch (layout.order, height) {
      case (.both, _):
        precondition(separator == bounds.first, "S3: a separator is its child's first key")
      case (.first, 1):
        let map = (0..<child.count).reduce(into: UInt64(0)) {
          let distance = child.key($1).first - child.key(0).first
          if distance < 64 { $0 |= 1 << distance }
        }
        precondition(separator.second == map, "S3: a separator maps the rows of its leaf")
      default: precondition(separator.second == 0, "S3: no map above the parents of leaves")
      }
      precondition(slot == 0 || isAscending(last, bounds.first), "S1: children ascend")
      last = bounds.last
      sum += counts[slot]
    }
    precondition(total == sum, "S2: the total is the sum of the counts")
    return (keys[0], last)
  }

  private func checkForm() {
    switch form {
    case .plain: break
    case .run: precondition(height == 0 && layout.holdsObjects, "S7: runs are leaves of values")
    case .oneStamp: precondition(height == 0 && layout.isStamped, "S7: one stamp is that of a leaf of keys")
    }
  }
}
