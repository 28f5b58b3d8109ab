// Excluded origins.
//
// Excluded origins give an observer a baseline of its own.
//
// - **E1** An excluded commit leads from one true result to another. Of the rows in which the two differ, the
//   baseline takes over each row that is in it as in the result before: absent, or there with the same value
//   and the same named values. The other rows stay, and are reported later. A row that others have deleted
//   and inserted again with the same value takes the new value and stays in its place, so that their move is
//   reported and the excluded edit is not.
// - **E2** While nothing is unreported, the baseline is the newest result itself and stepping over an
//   excluded commit is moving a reference. Two results are kept only while something is unreported. An
//   observer that begins at an older state, while its query is still evaluated, steps over the commits
//   excluded meanwhile when it begins, from that state on.
// - **E3** Excluded commits are applied one by one, each with the results before and after it, by the queries
//   of observers that exclude their origin. A writer that is 64 such commits ahead of a query, or 256 ahead
//   of routing, does that work itself, so the waiting work is bounded.
// - **E4** An observer of every commit follows E1 and E2 with trees of its own. It has unreported changes
//   only where it observes some properties and others have changed.
// - **E5** No evaluation gives a baseline's rows: of `limit(1)` it may have none, or two. They are one stage
//   without filter and window, which starts from the tree of the last result delivered (shared, or its window
//   copied) and then takes in the rows that enter and leave. Its objects are read in tables of its own: a row
//   that is taken over is in the query's own table as it is after the commit. That table has every row of the
//   stage, with the values that order it.
// - **E6** A table observed whole is its own baseline. So is a list: its entries follow from the list and the
//   rows in the baseline's tables (V8), and a window or a filter over it is evaluated there.

extension MaintainedResult {
  /// The baseline after an excluded commit from one true result to another (E1).
  ///
  /// Of the rows in which the true results before and after the commit differ, the baseline takes over each row that is in
  /// it as in the result before. So no evaluation gives its rows. They are a stage without filter and window, which rows
  /// enter and leave (E5), over a table of its own that has them as they were. A table that is observed whole is its own
  /// baseline; so is a list, whose entries follow the baseline's list (E6).
  ///
  /// - Parameters:
  ///   - before: the true result before the commit.
  ///   - last: the observer's own last stage, for its window.
  /// - Complexity: O(*k* log *m*) for the *k* rows in which the results differ, the rows of the commit and
  ///   the rows linked with them; plus the observer's window, if it has one and something is unreported.
  func stepping(
    over changes: StoreChanges, from before: MaintainedTrees, to after: MaintainedTrees, _ last: QueryStage
  ) -> MaintainedResult {
    // Nothing is unreported (E2).
    if trees.isIdentical(to: before) { return MaintainedResult(trees: after, state: changes.new) }
    guard trees.failure == nil, before.failure == nil, after.failure == nil else { return self }
    let isWhole = trees.isTable && last.offset == 0 && last.limit == nil
    if isWhole || trees.base != nil { return adopting(changes, isWhole: isWhole) }
    let rows = trees.isBaseline ? trees : MaintainedTrees(baselineOf: trees, last, at: state)
    var adoption = Adoption(changes, rows, state)
    adoption.takeLinked(holding: before.result(last))
    adoption.take(before.changes(to: after, last, changes.old, changes.new))
    return adoption.finish()
  }

  /// The same for a table that is observed whole, and for a list: its rows follow from its tables.
  private func adopting(_ changes: StoreChanges, isWhole: Bool) -> MaintainedResult {
    var adoption = Adoption(changes, trees, state)
    adoption.takeLinked()
    adoption.takeOwn(where: isWhole ? nil : trees.stages[0].filter)
    return adoption.finish()
  }
}

/// Applies an excluded commit to the tables of a baseline, and then to its rows.
private struct Adoption {
  let changes: StoreChanges
  let trees: MaintainedTrees
  let state: StoreState
  private let info: EntityInfo
  /// The tables that are read over links.
  private let linked: Set<Int>
  private var tables: [TableState]
  /// By table, the rows that may differ now.
  private var taken: [Int: Set<UInt64>] = [:]
  /// The rows that leave and the rows that enter: a row that is in both has another value or position.
  private var leaving: Set<UInt64> = []
  private var coming: Set<UInt64> = []

  init(_ changes: StoreChanges, _ trees: MaintainedTrees, _ state: StoreState) {
    self.changes = changes
    self.trees = trees
    self.state = state
    info = state.catalog.entities[trees.table]
    let chained = trees.plan.chains.flatMap { $0.tables(in: state.catalog) }
    linked = Set(chained + trees.stages.tables(in: state.catalog))
    tables = state.tables
  }

  /// Takes over the rows at the ends of hops, by their values alone (V8).
  ///
  /// - Parameter result: the true result before the commit. Its rows that are different in the baseline stay
  ///   in the baseline's table, if that is read over links.
  mutating func takeLinked(holding result: ResultWindow? = nil) {
    for number in linked.sorted() {
      take(number) { [changes, trees, state] own, before in
        guard changes.hasSameValue(number, own, before) else { return false }
        guard number == trees.table, let result, let own, trees.has(own, state.context), let before else {
          return true
        }
        return result.position(of: before.row, before.object, changes.old.context) != nil
          && !trees.isReadOtherwise(own, state, before, changes.old)
      }
    }
  }

  /// Takes over the rows of the query's own table, unless it is read over links, too.
  ///
  /// - Parameter filter: for this observer, rows that do not pass it do not exist.
  mutating func takeOwn(where filter: ConditionTree?) {
    if linked.contains(trees.table) { return }
    take(trees.table) { [changes, trees, state] own, before in
      let own = own.flatMap { filter?.matches($0.object, state.context) ?? true ? $0 : nil }
      let before = before.flatMap { filter?.matches($0.object, changes.old.context) ?? true ? $0 : nil }
      return changes.hasSameValue(trees.table, own, before)
        && !trees.isReadOtherwise(own, state, before, changes.old)
    }
  }

  /// Takes over the objects of a table with nothing left to report.
  ///
  /// - Parameter isReported: whether an object in the table is as it was before the commit.
  private mutating func take(_ number: Int, _ isReported: (_ own: FoundRow?, _ before: FoundRow?) -> Bool) {
    let info = state.catalog.entities[number]
    for edit in ObjectEdit.edits(changes.rows(in: number), info.ids) {
      guard let object = edit.old?.old ?? edit.new?.new else { continue }
      let own = tables[number].find(object, info)
      guard isReported(own, edit.old?.foundOld) else { continue }
      put(edit.new?.row, in: number, replacing: own, before: edit.old?.row)
    }
  }

  /// Replaces the baseline's version of an object by the object after the commit.
  ///
  /// - Parameters:
  ///   - row: the object's row after the commit; nil if it was deleted.
  ///   - before: its row before the commit. If the baseline has it in another row, others have deleted it and
  ///     inserted it again: that move is left to report, so the object stays in the baseline's row.
  private mutating func put(
    _ row: UInt64?, in number: Int, replacing own: FoundRow?, before: UInt64? = nil
  ) {
    let info = state.catalog.entities[number]
    if let own, let row, let before, own.row != before {
      tables[number].adopt(row, from: changes.new.tables[number], as: own.row, info)
      taken[number, default: []].insert(own.row)
      return
    }
    if let own {
      tables[number].remove(own.row, info)
      taken[number, default: []].insert(own.row)
    }
    if let row {
      tables[number].adopt(row, from: changes.new.tables[number], info)
      taken[number, default: []].insert(row)
    }
  }

  /// Takes over rows in which the true results before and after the commit differ, and the commit's changes
  /// of the query's own table outside the result.
  mutating func take(_ rows: [RowChange]) {
    for edit in ObjectEdit.edits(rows, info.ids) { take(edit) }
    if !linked.contains(trees.table) { takeOthers(beside: Set(rows.map(\.row))) }
  }

  /// Takes over an object in which the true results differ, if the baseline has it as in the result before.
  private mutating func take(_ edit: ObjectEdit) {
    let number = trees.table
    guard let object = edit.old?.old ?? edit.new?.new else { return }
    let found = state.tables[number].find(object, info)
    let own = found.flatMap { trees.has($0, state.context) ? $0 : nil }
    let before = edit.old?.foundOld
    guard changes.hasSameValue(number, own, before), !trees.isReadOtherwise(own, state, before, changes.old)
    else { return }
    if linked.contains(number) {
      // Its value is read over links, too: it was taken over unless some of it is left to report.
      if let new = edit.new?.foundNew,
        !changes.hasSameValue(number, tables[number].find(new.object, info), new)
      {
        return
      }
    } else {
      // A row that is merely out of the result now stays in the table.
      put(
        changes.new.tables[number].find(object, info)?.row, in: number, replacing: found,
        before: own == nil ? nil : before?.row)
    }
    if let own {
      leaving.insert(own.row)
      taken[number, default: []].insert(own.row)
    }
    if edit.new != nil, let row = tables[number].find(object, info)?.row {
      coming.insert(row)
      taken[number, default: []].insert(row)
    }
  }

  /// Takes over rows of the query's own table that were in neither result: callers that read the results' snapshot
  /// see them.
  ///
  /// - Parameter rows: the rows in which the results differ.
  private mutating func takeOthers(beside rows: Set<UInt64>) {
    let number = trees.table
    for edit in ObjectEdit.edits(changes.rows(in: number), info.ids) {
      guard let object = edit.old?.old ?? edit.new?.new,
        edit.old.map({ !rows.contains($0.row) }) ?? true, edit.new.map({ !rows.contains($0.row) }) ?? true
      else { continue }
      let found = state.tables[number].find(object, info)
      if found.map({ trees.has($0, state.context) }) ?? false { continue }
      put(edit.new?.row, in: number, replacing: found)
    }
  }

  /// The baseline with all rows that were taken over.
  func finish() -> MaintainedResult {
    if taken.isEmpty { return MaintainedResult(trees: trees, state: state) }
    let next = StoreState(
      version: state.version, context: .unnumbered(state.catalog, tables), pins: VersionPins())
    let deltas = taken.sorted { $0.key < $1.key }.map { table, rows in
      TableDelta(table: table, touched: rows.sorted(), inserted: 0..<0, count: rows.count)
    }
    var changed = StoreChanges(CommitRecord(from: state, to: next, deltas: deltas)).rows(for: trees)
    if trees.isBaseline { changed = changed.compactMap(baselineChange) }
    var trees = trees
    _ = trees.apply(changed, from: state, to: next)
    return MaintainedResult(trees: trees, state: next)
  }

  /// The change of a row of the table as a change of the baseline, which may lack it before or after.
  private func baselineChange(_ row: RowChange) -> RowChange? {
    let was = row.old.flatMap { trees.has(FoundRow(row.row, $0), state.context) ? $0 : nil }
    let isThere = coming.contains(row.row) || was != nil && !leaving.contains(row.row)
    let now = isThere ? row.new : nil
    if was == nil && now == nil { return nil }
    return RowChange(
      row: row.row, old: was, new: now, stamp: row.stamp, isLinked: row.isLinked && was != nil && now != nil)
  }
}

extension StoreChanges {
  /// Whether an object has the same value as before, or is absent as before.
  fileprivate func hasSameValue(_ table: Int, _ own: FoundRow?, _ before: FoundRow?) -> Bool {
    switch (own, before) {
    case (nil, nil): true
    case (let own?, let before?): old.catalog.entities[table].isSame(own.object, before.object)
    default: false
    }
  }
}

extension MaintainedTrees {
  /// Whether linked values that the query names differ.
  fileprivate func isReadOtherwise(
    _ own: FoundRow?, _ state: StoreState, _ before: FoundRow?, _ old: StoreState
  ) -> Bool {
    guard let own, let before else { return false }
    return linked.differ(own.object, state.context, before.object, old.context)
  }
}

extension RowChange {
  fileprivate var foundOld: FoundRow? { old.map { FoundRow(row, $0) } }
  fileprivate var foundNew: FoundRow? { new.map { FoundRow(row, $0) } }
}
