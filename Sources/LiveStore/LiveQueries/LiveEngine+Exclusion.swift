// Origins left out. An observer that excludes an origin has a baseline of its own: at an excluded commit
// every row whose value in the baseline is its value before that commit takes the new one; a row with a
// change of somebody else's that was not yet reported stays, and is reported later with the excluded edit
// in it (E1). While nothing is unreported the baseline is simply the newest result, at no cost (E2).

extension LiveEngine.State {
  /// Lets the cursors that exclude an origin step over one of its commits.
  mutating func leaveOut(
    _ changes: StoreChanges, _ origin: String,
    _ superseded: [(query: MaintainedQuery, before: PinnedTrees)]
  ) {
    let before = Dictionary(
      superseded.map { ($0.query.id, $0.before) }, uniquingKeysWith: { first, _ in first })
    for id in excluding {
      guard let cursor = cursors[id], cursor.excluded.contains(origin), let query = cursor.maintained.first
      else {
        continue
      }
      switch cursor.place {
      case .pinned(let pins):
        if pins[0] === query.current { continue }
        if pins[0] === before[query.id] {
          cursor.place = .pinned([query.current])
        } else if let state = pins[0].state {
          cursor.place = Self.adopting(changes, pins[0].trees, state)
        }
      case .own(let trees, let state): cursor.place = Self.adopting(changes, trees[0], state)
      case .unattached: break
      }
    }
  }

  /// A baseline after an excluded commit.
  ///
  /// - Complexity: O(*k* log *m*) for the *k* rows of the commit.
  private static func adopting(
    _ changes: StoreChanges, _ trees: MaintainedTrees, _ state: StoreState
  ) -> Cursor.Place {
    let number = trees.table
    let info = state.catalog.entities[number]
    let filter = trees.stages[0].filter
    let target = changes.new.tables[number]
    var table = state.tables[number]
    var taken: Set<UInt64> = []
    for edit in ObjectEdit.edits(changes.rows(in: number), info.ids) {
      guard let object = edit.old?.old ?? edit.new?.new else { continue }
      let found = table.find(
        hash: info.ids.hash(object), isMatch: { info.ids.isSame($0, object) },
        compare: info.ids.compare.map { compare in { compare(object, $0) } })
      // What does not pass the filter is not there, for this observer.
      let before = edit.old.flatMap { row in
        row.old.flatMap { filter.matches($0, changes.old.context) ? (row.row, $0) : nil }
      }
      let own = found.flatMap { filter.matches($0.object, state.context) ? $0 : nil }
      let isReported =
        switch (own, before) {
        case (nil, nil): true
        case (let own?, let before?): own.row == before.0 && info.isSame(own.object, before.1)
        default: false
        }
      guard isReported else { continue }
      if let found {
        table.remove(found.row, info)
        taken.insert(found.row)
      }
      if let new = edit.new {
        table.adopt(new.row, from: target, info)
        taken.insert(new.row)
      }
    }
    if taken.isEmpty { return .own([trees], state) }
    var tables = state.tables
    tables[number] = table
    let next = StoreState(
      version: state.version,
      context: ReadContext(catalog: state.catalog, tables: tables, version: state.context.version),
      pins: VersionPins())
    let rows = taken.sorted().map { row -> RowChange in
      let entry = table.rows.floor(row).flatMap { $0.key.first == row ? $0 : nil }
      return RowChange(
        row: row, old: state.tables[number].object(row), new: entry?.payload, stamp: entry?.key.second ?? 0)
    }
    var trees = trees
    _ = trees.apply(rows, from: state, to: next)
    return .own([trees], next)
  }
}

/// What a commit did to one object: a row changed, deleted, inserted, or deleted and inserted as another.
private struct ObjectEdit {
  /// The row that held the object before; nil when there was none.
  var old: RowChange?
  /// The row that holds it now; nil when it is gone.
  var new: RowChange?

  static func edits(_ rows: [RowChange], _ ids: IDFunctions) -> [ObjectEdit] {
    var edits: [ObjectEdit] = []
    var deleted: [UInt64: [Int]] = [:]
    for row in rows {
      if let old = row.old {
        edits.append(ObjectEdit(old: row, new: row.new == nil ? nil : row))
        if row.new == nil { deleted[ids.hash(old), default: []].append(edits.count - 1) }
      } else if let new = row.new {
        // New rows come after all that were there before.
        let same = deleted[ids.hash(new)]?.first { index in
          edits[index].old?.old.map { ids.isSame($0, new) } ?? false
        }
        if let same { edits[same].new = row } else { edits.append(ObjectEdit(old: nil, new: row)) }
      }
    }
    return edits
  }
}
