// Lists as collections.
//
// A query may start from one object's list, set or map (`Topic.linked(from: \Article.topics, of: id)`). Its
// start, the base, is a tree like any other: a list's entries by their labels, a set's rows in insertion
// order. Its first stage takes in the difference of the base before and after, as a stage after a window
// does, so filters, sorts, windows, groups and linked values need nothing of their own.
//
// - **O1** In trees of a list the second word of a key is an occurrence: the row number with 17 bits that
//   distinguish the entries of one row. An entry keeps its label and its occurrence while the list is
//   edited around it, so removing the first of two equal entries is one deletion, at its position.
//   Differences pair entries by label, then by id.
// - **O2** The base follows its owner, found by id in either state: labels that are in one list alone are
//   removed or inserted. A list of *l* entries is compared in O(*l*), the cost that its writer had for the
//   edit of the value; the trees are edited entry by entry. A row of the table that changed is in the list if
//   the link's index has (its id, the owner).
// - **O3** A commit reaches a live list through its owner's id, or through the owners that the link's index
//   gives for a changed row; other lists are not looked at.

/// Source: the entries of one object's list, set or map.
///
/// Keeps: a tree of the entries, and their positions where some stage has an order of its own.
/// Takes in: rows of the table that changed, or whose linked values may have; the owner in either state.
/// Gives out: entries that came, left, moved or changed.
/// Why it is right: entries are added and removed with the owner's value, by the labels that are in one list
/// alone. An entry that stays changes only with its row, and takes that row's stamp (O2). So the difference
/// of the tree before and after the step is the change.
///
/// - Complexity: O(*l* + *k* log *n*) for a list of *l* entries if its owner changed or a changed row is in it,
///   otherwise O(*k* log *n*) for *k* rows.
package struct ListOperator: IncrementalOperator {
  let slot: Int
  let source: ListSource

  package init(slot: Int, source: ListSource) {
    self.slot = slot
    self.source = source
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    let before = step.after.trees[slot]
    let after = entries(before, changes, step)
    if before.isIdentical(to: after) { return [] }
    step.after.trees[slot] = after
    let changed = window(before, step).changes(to: window(after, step), step.old.context, step.new.context)
    step.after.positions?.follow(changed)
    step.new.positions = step.after.positions
    return changed
  }

  private func window(_ tree: Tree, _ step: UpkeepStep) -> ResultWindow {
    ResultWindow(table: step.table, tree: tree, ranks: 0..<tree.count, order: RowOrder(keys: []))
  }

  /// The tree of the entries after the step.
  private func entries(_ before: Tree, _ changes: [RowChange], _ step: UpkeepStep) -> Tree {
    let edit = OwnerEdit(source, step)
    var tree = before
    if edit.isChanged, !follow(edit, &tree, step) { return evaluated(step) }
    guard let owner = edit.after else { return tree }
    var stamps: [UInt64: UInt64] = [:]
    for row in changes {
      guard let object = row.new ?? row.old, isMember(object, of: owner, step) else { continue }
      // The list names an id that another row has now.
      if row.new == nil || row.old == nil { return evaluated(step) }
      if !step.isUnchanged(row) { stamps[row.row] = step.stamp(of: row) }
    }
    restamp(&tree, stamps)
    return tree
  }

  /// The entries of the owner as it is after the step.
  private func evaluated(_ step: UpkeepStep) -> Tree {
    let context = step.new.context
    return source.window(step.table, context, stamp: step.linked.isEmpty ? nil : context.linkedStamp).tree
  }

  /// Whether an object is in the owner's list, by the index of the link.
  private func isMember(_ object: UnsafeRawPointer, of owner: FoundRow, _ step: UpkeepStep) -> Bool {
    let context = step.new.context
    guard let link = context.catalog.link(of: source) else { return true }
    let hash = context.catalog.entities[step.table].ids.hash(object)
    return context.tables[link.table].inverted[link.link].rank(of: TreeKey(hash, owner.row)) != nil
  }

  /// Gives the entries of rows new stamps, by row.
  ///
  /// - Complexity: O(*l* + *k* log *l*) for *k* entries among *l*.
  private func restamp(_ tree: inout Tree, _ stamps: [UInt64: UInt64]) {
    if stamps.isEmpty { return }
    guard tree.layout.areOccurrences else {
      for (row, stamp) in stamps { tree.setStamp(stamp, at: TreeKey(row, 0)) }
      return
    }
    for entry in tree.keys(where: { stamps[$0] != nil }) {
      if let stamp = stamps[tree.layout.row(entry.second)] { tree.setStamp(stamp, at: entry) }
    }
  }
}

/// The owner of a list before and after a step.
private struct OwnerEdit {
  let before: FoundRow?
  let after: FoundRow?
  let isChanged: Bool

  init(_ source: ListSource, _ step: UpkeepStep) {
    let (old, new) = (step.old.context, step.new.context)
    before = source.owner(in: old)
    after = source.owner(in: new)
    if let before, let after, before.row == after.row, let table = new.catalog.index(of: source.owner) {
      isChanged =
        old.tables[table].rows.floor(before.row)?.key != new.tables[table].rows.floor(after.row)?.key
    } else {
      isChanged = before != nil || after != nil
    }
  }
}

// MARK: Following the owner

extension ListOperator {
  /// Edits the tree by the difference between the owner's values.
  ///
  /// - Returns: false if the tree has other labels than the value before: a list that was written back
  ///   unchanged has labels of its own.
  private func follow(_ edit: OwnerEdit, _ tree: inout Tree, _ step: UpkeepStep) -> Bool {
    let difference = source.difference(
      edit.before?.object, step.old.context, edit.after?.object, step.new.context)
    guard source.isOrdered else {
      for row in difference.removed { tree.remove(TreeKey(row, 0)) }
      for entry in difference.added { tree.insert(TreeKey(entry.row, rowStamp(entry.row, step))) }
      return true
    }
    guard tree.hasFirsts(edit.before.map { source.allLabels($0.object) } ?? []) else { return false }
    for label in difference.removed {
      if let entry = tree.key(first: label) { tree.remove(entry) }
    }
    if !difference.added.isEmpty { insert(difference.added, into: &tree, step) }
    return true
  }

  /// Inserts entries of a list, each with the least number that no other entry of its row has.
  private func insert(_ added: [ListSource.Entry], into tree: inout Tree, _ step: UpkeepStep) {
    let rows = Set(added.map(\.row))
    var taken = Set(tree.keys { rows.contains($0) }.map(\.second))
    // All below these numbers are taken.
    var numbers: [UInt64: UInt64] = [:]
    for entry in added {
      var number = numbers[entry.row, default: 0]
      while !taken.insert(TreeLayout.occurrence(entry.row, number)).inserted, number < tree.count {
        number += 1
      }
      numbers[entry.row] = number + 1
      let key = TreeKey(entry.label, TreeLayout.occurrence(entry.row, number))
      tree.insert(key, stamp: rowStamp(entry.row, step))
    }
  }

  /// The stamp of a row that is in the table.
  private func rowStamp(_ row: UInt64, _ step: UpkeepStep) -> UInt64 {
    let context = step.new.context
    if !step.linked.isEmpty { return context.linkedStamp }
    return context.tables[step.table].rows.floor(row)?.key.second ?? 0
  }
}

extension Tree {
  /// Whether these are the first words of all keys.
  fileprivate func hasFirsts(_ firsts: [UInt64]) -> Bool {
    if firsts.count != count { return false }
    var cursor = TreeCursor(self)
    return firsts.allSatisfy { $0 == cursor.next()?.key.first }
  }

  /// The key of the entry with this `first`, of which there is at most one.
  fileprivate func key(first: UInt64) -> TreeKey? {
    floor(first).flatMap { $0.key.first == first ? $0.key : nil }
  }

  /// The keys of the entries of some rows.
  fileprivate func keys(where isWanted: (UInt64) -> Bool) -> [TreeKey] {
    var found: [TreeKey] = []
    var cursor = TreeCursor(self)
    while let entry = cursor.next() {
      if isWanted(layout.row(entry.key.second)) { found.append(entry.key) }
    }
    return found
  }
}
