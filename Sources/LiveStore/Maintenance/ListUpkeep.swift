// A query that starts from one object's list, set or map: its base is a tree of the entries, and its first stage
// follows the differences of that tree as a stage after a window does. The base follows its owner, entry by
// entry, and takes the stamps of rows that changed (O2).

extension MaintainedTrees {
  /// The base of the first stage as a window.
  func baseWindow(_ base: Tree) -> ResultWindow {
    ResultWindow(table: table, tree: base, ranks: 0..<base.count, order: RowOrder(keys: []))
  }

  /// The base after a step.
  ///
  /// - Parameter rows: rows of the table that changed, or linked values of which may have.
  /// - Complexity: O(*l* + *k* log *n*) for a list of *l* entries if its owner changed or a changed row stands
  ///   in it, otherwise O(*k* log *n*) for *k* rows.
  func base(
    _ base: Tree, of source: ListSource, _ rows: [RowChange], from old: StoreState, to new: StoreState
  ) -> Tree {
    let (before, after) = (source.owner(in: old.context), source.owner(in: new.context))
    // A list that was written back has other labels than before and is no change.
    func anew() -> Tree { source.window(table, new.context, stamp: linkedStamp(new.context)).tree }
    var base = base
    if before?.row != after?.row || isOwnerChanged(source, before, after, old, new) {
      let difference = source.difference(before?.object, old.context, after?.object, new.context)
      if source.isOrdered {
        guard base.hasFirsts(before.map { source.allLabels($0.object) } ?? []) else { return anew() }
        edit(&base, difference, new)
      } else {
        for row in difference.removed { base.remove(TreeKey(row, 0)) }
        for entry in difference.added {
          base.insert(TreeKey(entry.row, rowStamp(entry.row, new)))
        }
      }
    }
    guard let after else { return base }
    var stamps: [UInt64: UInt64] = [:]
    for row in rows {
      guard let object = row.new ?? row.old, isMember(object, source, after, new) else { continue }
      // It is another row under an id that stood in the list before: the entries are looked up anew.
      if row.new == nil || row.old == nil { return anew() }
      if !isSame(row, old.context, new.context) { stamps[row.row] = stamp(row, new.context) }
    }
    restamp(&base, stamps)
    return base
  }

  private func isOwnerChanged(
    _ source: ListSource, _ before: FoundRow?,
    _ after: FoundRow?, _ old: StoreState, _ new: StoreState
  ) -> Bool {
    guard let before, let after, let table = new.catalog.index(of: source.owner) else { return true }
    return old.tables[table].rows.floor(before.row)?.key != new.tables[table].rows.floor(after.row)?.key
  }

  /// Whether an object stands in the owner's list: told by the index of the link.
  private func isMember(
    _ object: UnsafeRawPointer, _ source: ListSource, _ owner: FoundRow,
    _ state: StoreState
  ) -> Bool {
    guard let link = state.catalog.link(of: ObjectIdentifier(source.owner), source.path) else { return true }
    let hash = state.catalog.entities[table].ids.hash(object)
    return state.tables[link.table].inverted[link.link].rank(of: TreeKey(hash, owner.row)) != nil
  }

  private func edit(_ base: inout Tree, _ difference: ListSource.Difference, _ new: StoreState) {
    for label in difference.removed {
      guard let entry = base.floorEntry(label) else { continue }
      base.remove(entry)
    }
    if difference.added.isEmpty { return }
    let rows = Set(difference.added.map(\.row))
    var taken = Set(entries(base) { rows.contains($0) }.map(\.second))
    // All below these numbers are taken.
    var numbers: [UInt64: UInt64] = [:]
    for entry in difference.added {
      var number = numbers[entry.row, default: 0]
      while !taken.insert(TreeLayout.occurrence(entry.row, number)).inserted, number < base.count {
        number += 1
      }
      numbers[entry.row] = number + 1
      let stamp = rowStamp(entry.row, new)
      base.insert(TreeKey(entry.label, TreeLayout.occurrence(entry.row, number)), stamp: stamp)
    }
  }

  /// The entries of some rows.
  private func entries(_ base: Tree, where isWanted: (UInt64) -> Bool) -> [TreeKey] {
    var found: [TreeKey] = []
    var cursor = TreeCursor(base)
    while let entry = cursor.next() {
      if isWanted(base.layout.row(entry.key.second)) { found.append(entry.key) }
    }
    return found
  }

  /// Gives the entries of rows new stamps, by row.
  ///
  /// - Complexity: O(*l* + *k* log *l*) for *k* entries among *l*.
  private func restamp(_ base: inout Tree, _ stamps: [UInt64: UInt64]) {
    if stamps.isEmpty { return }
    guard base.layout.areOccurrences else {
      for (row, stamp) in stamps { base.setStamp(stamp, at: TreeKey(row, 0)) }
      return
    }
    for entry in entries(base, where: { stamps[$0] != nil }) {
      guard let stamp = stamps[base.layout.row(entry.second)] else { continue }
      base.setStamp(stamp, at: entry)
    }
  }

  /// The stamp of a row that is in the table.
  private func rowStamp(_ row: UInt64, _ state: StoreState) -> UInt64 {
    linkedStamp(state.context) ?? state.tables[table].rows.floor(row)?.key.second ?? 0
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
  fileprivate func floorEntry(_ first: UInt64) -> TreeKey? {
    floor(first).flatMap { $0.key.first == first ? $0.key : nil }
  }
}
