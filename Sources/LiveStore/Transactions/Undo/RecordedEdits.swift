// Undo.
//
// An `UndoStack` records every commit under the write lock (`CommitRecorder`), before `write` returns, so it
// never depends on the bounded history. Of a recorded commit it stores copies of the objects before and after
// with their row numbers (`RecordedEdits`), but no version: the memory of steps does not grow with the writes
// of others. A group's step merges its commits, object by object. Undoing a step writes the edits that revert
// it, and records those in turn, so a redo is an undo of the undo. Its mutex comes after all of the store's;
// the only user code under it is `==`, `hash(into:)` and, for U6, the getters and setters of properties.
//
// - **U1** A row number belongs to one id permanently. A deleted row may be restored under its own number,
//   by undo alone, with the stamp of the commit that restores it. In a delta it is in `touched`, the
//   differing rows with numbers below the base's `nextRow`; it has no old object. `inserted` is still the
//   numbers from there on. So inserted rows may come before deleted ones, also of one object: an object's
//   two rows are found by its id, in any order (`ObjectEdit`).
// - **U2** An edit is undone only if the object is in the row where the step left it, and each listed
//   property that the step changed has the value that the step gave it, whoever wrote it last; other
//   properties stay (`MergedProperty`). An insertion is undone only if the whole object is unchanged since,
//   a deletion only if the id is free. All checks come before any write, in the transaction that writes.
// - **U3** No delete rule runs: rows that cascades deleted and links that were removed are edits of the
//   step like others. An object to be deleted stays if, with everything else written, something links to
//   it, whatever the rule. The deletions of what it links to are then checked again, until nothing more
//   stays. So only what the step wrote is written, and no deletion leaves a link without its target.
//   Everything else is checked at commit, as always.
// - **U4** An edit that cannot be undone is dropped from the step. The step for the opposite direction is
//   exactly what was written.
// - **U5** Steps move between undo and redo under the write lock of the commit (`onCommit`): no commit
//   comes between an undo and its position in the stack, and a failed undo changes neither side.
// - **U6** If other writers wrote to an object between two commits of a group, the merged edit starts with
//   the object that they wrote: with the earlier edits undone in it as by U2 if possible, else unchanged.
// - **U7** A commit that edits one property of one object joins the previous step if that ends with an edit
//   of the same property, of the object as it is now, and was less than the stack's `merging` time ago; by
//   default there is none. Groups, undo and redo close the previous step.

/// The recorded changes of one or more commits, object by object.
///
/// An object that was deleted and inserted again is one object. The edits of several commits are merged, object by
/// object; an object that was inserted and deleted is left out.
package struct RecordedEdits: Sendable {
  /// An object of a table, by the hash of its id.
  struct Key: Hashable {
    let table: Int
    let hash: UInt64
  }

  private let catalog: Catalog
  private var slots: [RecordedEdit?]
  /// The slots of objects by the hash of their ids; nil until a second commit is added.
  private var slotsByKey: [Key: [Int]]?
  /// The number of objects.
  package private(set) var count: Int

  init(_ edits: [RecordedEdit], _ catalog: Catalog) {
    self.catalog = catalog
    slots = edits
    count = edits.count
  }

  /// The changes of one commit.
  ///
  /// - Complexity: O(*k* log *n*) for *k* rows changed.
  package init(_ record: CommitRecord) {
    let catalog = record.after.catalog
    let edits = StoreChanges(record).tables.flatMap { table, rows in
      let info = catalog.entities[table]
      return ObjectEdit.edits(rows, info.ids).map { edit in
        RecordedEdit(
          table: table,
          before: edit.old.flatMap { old in old.old.map { RecordedRow(old.row, $0, info) } },
          after: edit.new.flatMap { new in new.new.map { RecordedRow(new.row, $0, info) } })
      }
    }
    self.init(edits, catalog)
  }

  /// The edits, in the order in which the objects were first touched.
  package var edits: [RecordedEdit] { slots.compactMap(\.self) }

  /// The edit, if it is of one property of one object.
  package var propertyEdit: PropertyEdit? {
    guard count == 1, let edit = edits.first else { return nil }
    return PropertyEdit(edit, catalog.entities[edit.table])
  }

  /// Adds the changes of a later commit.
  ///
  /// Where another writer wrote to an object in between, the merged edit begins with the object that the
  /// writer wrote: with the earlier edit undone in it if possible, else unchanged. So undoing the merged edit never
  /// overwrites what others wrote (U6).
  /// - Returns: the objects that are no longer held. Freeing them may run user code, so the caller does it.
  /// - Complexity: O(*k*) for *k* later edits; the first time also O(`count`).
  package mutating func append(_ later: RecordedEdits) -> [RecordedRow] {
    var slotsByKey = slotsByKey ?? indexedSlots()
    self.slotsByKey = nil
    var dropped: [RecordedRow] = []
    for edit in later.edits { dropped += append(edit, &slotsByKey) }
    if slots.count > 2 * count + 32 {
      slots.removeAll { $0 == nil }
      slotsByKey = indexedSlots()
    }
    self.slotsByKey = slotsByKey
    return dropped
  }

  private func indexedSlots() -> [Key: [Int]] {
    var slotsByKey: [Key: [Int]] = [:]
    for (index, edit) in slots.enumerated() {
      if let edit { slotsByKey[key(of: edit), default: []].append(index) }
    }
    return slotsByKey
  }

  private mutating func append(_ edit: RecordedEdit, _ slotsByKey: inout [Key: [Int]]) -> [RecordedRow] {
    let info = catalog.entities[edit.table]
    let key = key(of: edit)
    let index = slotsByKey[key]?.first { slots[$0].map { isSameObject($0, edit, info) } ?? false }
    guard let index, var sum = slots[index] else {
      slotsByKey[key, default: []].append(slots.count)
      slots.append(edit)
      count += 1
      return []
    }
    let former = sum
    let isContinued = info.isUnchanged(sum.after, edit.before)
    if !isContinued || info.hasIgnored {
      sum.before = info.undoing(sum, from: edit.before) ?? (isContinued ? sum.before : edit.before)
    }
    sum.after = edit.after
    if info.isUnchanged(sum.before, sum.after) {
      slots[index] = nil
      slotsByKey[key]?.removeAll { $0 == index }
      count -= 1
    } else {
      slots[index] = sum
    }
    return [former.before, former.after].compactMap(\.self)
  }

  private func key(of edit: RecordedEdit) -> Key {
    let hash = edit.either?.withPointer(catalog.entities[edit.table].ids.hash)
    return Key(table: edit.table, hash: hash ?? 0)
  }

  private func isSameObject(_ lhs: RecordedEdit, _ rhs: RecordedEdit, _ info: EntityInfo) -> Bool {
    guard let left = lhs.either, let right = rhs.either else { return false }
    return left.withPointer { left in right.withPointer { info.ids.isSame(left, $0) } }
  }
}
