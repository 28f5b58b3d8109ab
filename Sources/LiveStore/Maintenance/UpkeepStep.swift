/// The state that the operators of a chain share during a step from one state of the store to another.
package struct UpkeepStep {
  let table: Int
  /// Values of linked rows by which rows differ, too.
  let linked: [NamedValue]
  /// How rows are read before and after the step.
  let old: StepSide
  var new: StepSide
  /// The trees before the step.
  let before: ChainTrees
  /// The trees that operators have edited so far.
  package var after: ChainTrees
  /// Whether all rows of the first stage can be routed to the query.
  var isRoutable = true

  package init(
    _ table: Int, _ linked: [NamedValue], _ kept: ChainTrees, from old: StoreState, to new: StoreState,
    _ run: FilterRun? = nil
  ) {
    self.table = table
    self.linked = linked
    self.old = StepSide(table: table, context: old.context.running(run), positions: kept.positions)
    self.new = StepSide(table: table, context: new.context.running(run), positions: kept.positions)
    before = kept
    after = kept
  }

  /// The stamp that an entry takes for a row that changed.
  func stamp(of row: RowChange) -> UInt64 { linked.isEmpty ? row.stamp : new.context.linkedStamp }

  /// Whether a row is unchanged, and so are the linked values that the query names (V6).
  func isUnchanged(_ row: RowChange) -> Bool {
    guard row.isLinked, let before = row.old, let after = row.new else { return false }
    return linked.allSatisfy { $0.isSame?(before, old.context, after, new.context) ?? false }
  }

  /// Whether a row is another entry of its list now, or stands elsewhere in it.
  func isMovedInList(_ row: RowChange) -> Bool {
    row.old != nil && ListPositions.compare(row.row, old.positions, row.row, new.positions) != 0
  }
}

/// How rows are read on one side of a step.
package struct StepSide {
  let table: Int
  let context: ReadContext
  /// Where the entries of the list stand, where ties are ordered by it.
  var positions: ListPositions?

  /// The object of an existing row.
  func object(_ row: UInt64) -> UnsafeRawPointer { context.tables[table].existing(row) }
}
