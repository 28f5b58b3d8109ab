// Taking back what commits did.
//
// Each object is judged by the tables as they are before anything is written. One that the commits inserted is taken
// back if it stands where they left it, as they left it; one that they edited, if each property that they changed is as
// they left it. Deletions are then judged once more, by the tables with all else written:
// what is still linked to comes back as it was. By that it links again to what it links to, so those of the
// deleted are looked at again; each comes back at most once.

extension TransactionState {
  func takeBack(_ edits: [KeptEdit]) -> Reversal {
    let start = tables
    var obstacles: [Obstacle] = []
    var done: [KeptEdit?] = []
    for edit in edits {
      let info = catalog.entities[edit.table]
      switch judge(edit, info) {
      case .possible(let edit): done.append(edit)
      case .impossible(let reason): obstacles.append(Obstacle(edit, info, reason))
      }
    }
    for case let edit? in done { write(edit) }
    for index in linkedDeletions(done, start) {
      guard let edit = done[index] else { continue }
      obstacles.append(Obstacle(edit, catalog.entities[edit.table], .linked))
      done[index] = nil
    }
    return Reversal(edits: KeptEdits(done.compactMap { $0?.reversed }, catalog), obstacles: obstacles)
  }

  private enum Judgement {
    /// The edit that is taken back: from the object as it is now to what it is to be.
    case possible(KeptEdit)
    case impossible(Obstacle.Reason)
  }

  private func judge(_ edit: KeptEdit, _ info: EntityInfo) -> Judgement {
    let found = edit.either.flatMap { either in
      either.withPointer { sought in find(sought, edit.table, info) }
    }
    switch (edit.after, found) {
    case (nil, nil): return .possible(edit)
    case (nil, .some): return .impossible(.idTaken)
    case (.some, nil): return .impossible(.gone)
    case (let after?, let found?):
      if edit.before?.row == after.row {
        let current = KeptRow(found.row, found.object, info)
        let before = info.takingBack(edit, from: current)
        return before.map { .possible(KeptEdit(table: edit.table, before: $0, after: current)) }
          ?? .impossible(.changed)
      }
      return after.isSame(found.row, found.object, info) ? .possible(edit) : .impossible(.changed)
    }
  }

  private func find(
    _ object: UnsafeRawPointer, _ table: Int, _ info: EntityInfo
  ) -> FoundRow? {
    tables[table].find(
      hash: info.ids.hash(object), isMatch: { info.ids.isSame($0, object) },
      compare: info.ids.compare.map { compare in { compare(object, $0) } })
  }

  /// Has an object stand as it stood before.
  private func write(_ edit: KeptEdit) {
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

  /// Brings a deleted row back under its own number, as a row of this version (U1).
  private func restore<Element: Entity>(_ object: Element, _ row: UInt64, in table: Int) {
    touched[table].append(row)
    tables[table].insert(object, catalog.entities[table], row: row, stamp: version.number)
  }

  private struct Deletions {
    struct Target: Hashable {
      let table: Int
      /// That of the object's id; others of the same hash do no harm, they are looked at in vain.
      let hash: UInt64
    }

    var places: [Target: [Int]] = [:]
    var pending: [Int] = []
  }

  /// Brings back the deleted that something links to, as they were at the start; which these are.
  private func linkedDeletions(_ edits: [KeptEdit?], _ start: [TableState]) -> [Int] {
    var deletions = Deletions()
    for (index, edit) in edits.enumerated() {
      guard let edit, let after = edit.after, edit.before == nil else { continue }
      let hash = after.withPointer(catalog.entities[edit.table].ids.hash)
      deletions.places[Deletions.Target(table: edit.table, hash: hash), default: []].append(index)
      deletions.pending.append(index)
    }
    var back: [Int] = []
    while let index = deletions.pending.popLast() {
      guard let edit = edits[index], let after = edit.after, tables[edit.table].object(after.row) == nil,
        isLinked(after, in: edit.table)
      else { continue }
      let info = catalog.entities[edit.table]
      tables[edit.table].adopt(after.row, from: start[edit.table], info)
      back.append(index)
      for link in info.links {
        guard let target = catalog.index(of: link.target) else { continue }
        for hash in after.withPointer(link.hashes) {
          deletions.pending += deletions.places[Deletions.Target(table: target, hash: hash)] ?? []
        }
      }
    }
    return back
  }

  /// Whether any object links to one that is not there.
  private func isLinked(_ kept: KeptRow, in table: Int) -> Bool {
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
