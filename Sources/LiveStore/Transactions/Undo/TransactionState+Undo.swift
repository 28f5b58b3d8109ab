// Undoing recorded edits.
//
// All objects are checked against the tables before anything is written. An insertion can be undone if the object is
// unchanged in its row, an edit if each property that it changed is unchanged. Then everything is written, and
// deletions are checked again: an object that something still links to is restored. A restored object again links to
// its targets, so their deletions are checked once more. Each object is restored at most once.

extension TransactionState {
  func undo(_ edits: [RecordedEdit]) -> UndoOutcome {
    let start = tables
    var conflicts: [ConflictingEdit] = []
    var done: [RecordedEdit?] = []
    for edit in edits {
      let info = catalog.entities[edit.table]
      switch check(edit, info) {
      case .possible(let edit): done.append(edit)
      case .impossible(let reason): conflicts.append(ConflictingEdit(edit, info, reason))
      }
    }
    for case let edit? in done { write(edit) }
    listPendingRows()
    for index in linkedDeletions(done, start) {
      guard let edit = done[index] else { continue }
      conflicts.append(ConflictingEdit(edit, catalog.entities[edit.table], .linked))
      done[index] = nil
    }
    return UndoOutcome(edits: RecordedEdits(done.compactMap { $0?.inverse }, catalog), conflicts: conflicts)
  }

  private enum Feasibility {
    /// The edit to write, with the object as it is now on one side and as it shall be on the other.
    case possible(RecordedEdit)
    case impossible(ConflictingEdit.Reason)
  }

  private func check(_ edit: RecordedEdit, _ info: EntityInfo) -> Feasibility {
    let found = edit.either.flatMap { either in
      either.withPointer { sought in tables[edit.table].find(sought, info) }
    }
    switch (edit.after, found) {
    case (nil, nil): return .possible(edit)
    case (nil, .some): return .impossible(.idTaken)
    case (.some, nil): return .impossible(.deleted)
    case (let after?, let found?):
      if edit.before?.row == after.row {
        let current = RecordedRow(found.row, found.object, info)
        let before = info.undoing(edit, from: current)
        return before.map { .possible(RecordedEdit(table: edit.table, before: $0, after: current)) }
          ?? .impossible(.changed)
      }
      return after.isSame(found.row, found.object, info) ? .possible(edit) : .impossible(.changed)
    }
  }

  /// Writes the earlier side of an edit.
  private func write(_ edit: RecordedEdit) {
    let (table, info) = (edit.table, catalog.entities[edit.table])
    if let before = edit.before, before.row == edit.after?.row {
      before.withPointer { object in info.withCopy(object) { replace(before.row, by: $0, in: table) } }
      return
    }
    if let after = edit.after {
      touch(after.row, in: table)
      tables[table].remove(after.row, info)
    }
    if let before = edit.before { restore(before.object, before.row, in: table) }
  }

  /// Restores a deleted row under its own number, as a row of this version (U1).
  private func restore<Element: Entity>(_ object: Element, _ row: UInt64, in table: Int) {
    touched[table].append(row)
    mayHaveReverted = true
    tables[table].insert(
      object, hash: idHash(object.id), catalog.entities[table], row: row, stamp: version.number)
  }

  /// Restores the deleted objects that something links to, and returns their indexes (U3).
  private func linkedDeletions(_ edits: [RecordedEdit?], _ start: [TableState]) -> [Int] {
    // Other objects of the same hash cost a check, nothing more.
    var (indices, pending): ([RecordedEdits.Key: [Int]], [Int]) = ([:], [])
    for (index, edit) in edits.enumerated() {
      guard let edit, let after = edit.after, edit.before == nil else { continue }
      let hash = after.withPointer(catalog.entities[edit.table].ids.hash)
      indices[RecordedEdits.Key(table: edit.table, hash: hash), default: []].append(index)
      pending.append(index)
    }
    var back: [Int] = []
    while let index = pending.popLast() {
      guard let edit = edits[index], let after = edit.after, tables[edit.table].object(after.row) == nil,
        isLinked(after, in: edit.table)
      else { continue }
      let info = catalog.entities[edit.table]
      tables[edit.table].adopt(after.row, from: start[edit.table], info)
      mayHaveReverted = true
      back.append(index)
      for link in info.links {
        guard let target = catalog.index(of: link.target) else { continue }
        for hash in after.withPointer(link.hashes) {
          pending += indices[RecordedEdits.Key(table: target, hash: hash)] ?? []
        }
      }
    }
    return back
  }

  /// Whether any object links to a deleted one.
  private func isLinked(_ kept: RecordedRow, in table: Int) -> Bool {
    kept.withPointer { object in
      let hash = catalog.entities[table].ids.hash(object)
      return catalog.incoming[table].contains { incoming in
        let link = catalog.entities[incoming.table].links[incoming.link]
        var isLinked = false
        tables[incoming.table].forEachRow(incoming.link, link, linkingTo: object, hash: hash) { _ in
          isLinked = true
          return false
        }
        return isLinked
      }
    }
  }
}
