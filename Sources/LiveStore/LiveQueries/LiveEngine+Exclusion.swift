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
    var table = state.tables[number]
    let target = changes.new.tables[number]
    var taken: [UInt64] = []
    for row in changes.rows(in: number) {
      guard let object = row.old ?? row.new else { continue }
      let found = table.find(
        hash: info.ids.hash(object), isMatch: { info.ids.isSame($0, object) },
        compare: info.ids.compare.map { compare in { compare(object, $0) } })
      let isUnchanged =
        switch (found, row.old) {
        case (nil, nil): true
        case (let found?, let old?): found.row == row.row && info.isSame(found.object, old)
        default: false
        }
      guard isUnchanged else { continue }
      table.adopt(row.row, from: target, info)
      taken.append(row.row)
    }
    if taken.isEmpty { return .own([trees], state) }
    var tables = state.tables
    tables[number] = table
    let next = StoreState(
      version: state.version, context: ReadContext(catalog: state.catalog, tables: tables),
      pins: VersionPins())
    var trees = trees
    let rows = taken.map { row -> RowChange in
      let entry = table.rows.floor(row).flatMap { $0.key.first == row ? $0 : nil }
      return RowChange(
        row: row, old: state.tables[number].object(row), new: entry?.payload, stamp: entry?.key.second ?? 0)
    }
    _ = trees.apply(rows, from: state, to: next)
    return .own([trees], next)
  }
}
