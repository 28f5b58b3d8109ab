/// Order: rows in the order of a stage.
///
/// Keeps: a tree with an entry for each row, where the placement has it.
/// Takes in: changed rows; one with an object before is in the tree, one with an object after is to be.
/// Gives out: the same rows.
/// Why it is right: entries of changed rows are removed while all rows are read in the old state, in which
/// the tree is ordered. They are inserted in the new state. In between the tree holds unchanged rows only,
/// which read the same in both (L2). A row whose position stays keeps its entry, which takes the row's stamp.
///
/// A search that does not find an entry has met an inconsistent order. The tree would keep an entry of a
/// deleted row, so it has to be evaluated again (L8).
package struct OrderOperator<Placement: RowPlacement>: IncrementalOperator {
  let slot: Int
  let placement: Placement

  package init(slot: Int, placement: Placement) {
    self.slot = slot
    self.placement = placement
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    if changes.isEmpty { return changes }
    var tree = step.after.trees[slot]
    var arriving: [RowChange] = []
    for row in changes {
      if let before = row.old, try stays(row, before, in: &tree, step) { continue }
      if row.new != nil { arriving.append(row) }
    }
    for row in inKeyOrder(arriving, step) { try insert(row, into: &tree, step) }
    step.after.trees[slot] = tree
    return changes
  }

  /// Many rows in the order of their new keys, so that one is inserted beside the other. By itself, each waits for the
  /// memory of its own path.
  private func inKeyOrder(_ rows: [RowChange], _ step: UpkeepStep) -> [RowChange] {
    if rows.count < 64 { return rows }
    var buffer = KeyBuffer()
    buffer.keys.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      guard let after = row.new else { continue }
      buffer.keys.append(TreeKey(placement.key(of: row, after, stamp: 0, step.new).first, UInt64(index)))
    }
    buffer.sortByWords()
    return buffer.keys.map { rows[Int($0.second)] }
  }

  /// Removes a row's entry from the tree, unless its position stays; returns whether it stays.
  func stays(
    _ row: RowChange, _ before: UnsafeRawPointer, in tree: inout Tree, _ step: UpkeepStep
  ) throws(NeedsRebuild) -> Bool {
    let (layout, old) = (tree.layout, step.old)
    let keepsPosition = row.new.map { placement.keepsPosition(row, before, $0, step) } ?? false
    if keepsPosition && step.isUnchanged(row) { return true }
    let key = placement.key(of: row, before, old)
    func tie(_ other: UInt64) -> Int { placement.compare(row.row, before, other, layout, old) }
    let isFound =
      keepsPosition
      ? tree.setStamp(step.stamp(of: row), at: key, tie: tie) : tree.remove(key, tie: tie)
    if !isFound { throw .inconsistent }
    return keepsPosition
  }

  /// Inserts the entry of a row that exists after the step.
  func insert(_ row: RowChange, into tree: inout Tree, _ step: UpkeepStep) throws(NeedsRebuild) {
    guard let after = row.new else { return }
    let (layout, new) = (tree.layout, step.new)
    // An entry that only moved in its list has changed for the stage after, too.
    let stamp = step.isMovedInList(row) ? new.context.linkedStamp : step.stamp(of: row)
    let isInserted = tree.insert(placement.key(of: row, after, stamp: stamp, new), stamp: stamp) {
      placement.compare(row.row, after, $0, layout, new)
    }
    if !isInserted { throw .inconsistent }
  }

  /// The rank of the entry of a row as it was before the step.
  func rank(of row: RowChange, _ before: UnsafeRawPointer, in tree: Tree, _ step: UpkeepStep) -> Int? {
    let old = step.old
    return tree.rank(of: placement.key(of: row, before, old)) {
      placement.compare(row.row, before, $0, tree.layout, old)
    }
  }
}
