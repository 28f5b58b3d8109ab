// Origins left out. An observer that excludes an origin has a baseline of its own: at an excluded commit
// every row whose value in the baseline is its value before that commit takes the new one; a row with a
// change of somebody else's that was not yet reported stays, and is reported later with the excluded edit
// in it (E1). While nothing is unreported the baseline is simply the newest result, at no cost (E2).

extension LiveEngine.State {
  /// Lets the cursors that exclude an origin step over one of its commits.
  mutating func leaveOut(
    _ changes: StoreChanges, _ origin: String,
    _ superseded: [(query: MaintainedQuery, before: PinnedTrees)], _ wakes: inout Wakes
  ) {
    let before = Dictionary(
      superseded.map { ($0.query.id, $0.before) }, uniquingKeysWith: { first, _ in first })
    for id in excluding {
      guard let cursor = cursors[id], cursor.excluded.contains(origin) else { continue }
      if case .unattached(let start) = cursor.place {
        // Its query is being evaluated; it begins where it was made, but for this commit.
        guard let start, let next = Self.adopting(changes, cursor.queries[0], start) else { continue }
        wakes.keep(start)
        cursor.place = .unattached(next.state)
        continue
      }
      guard let query = cursor.maintained.first else { continue }
      wakes.keep(cursor.place)
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
  private static func adopting(
    _ changes: StoreChanges, _ trees: MaintainedTrees, _ state: StoreState
  ) -> Cursor.Place {
    let (trees, state) = trees.adopting(changes, at: state)
    return .own([trees], state)
  }

  /// The state at which an observer begins, after an excluded commit since it was made; nil if that stays.
  private static func adopting(
    _ changes: StoreChanges, _ query: ObservedQuery, _ state: StoreState
  ) -> Adoption.Adopted? {
    guard state.version < changes.new.version, let table = state.catalog.index(of: query.type) else {
      return nil
    }
    let grouped = query.grouping?.operands.filter { !$0.chains.isEmpty } ?? []
    return Adoption.adopting(changes, (table, query.stages, query.stages.linkedOperands + grouped), state)
  }
}

extension MaintainedTrees {
  /// The trees of a baseline, and its state, after an excluded commit.
  ///
  /// - Complexity: O(*k* log *m*) for the *k* rows of the commit and those linked with them.
  func adopting(_ changes: StoreChanges, at state: StoreState) -> (trees: MaintainedTrees, state: StoreState)
  {
    guard let (next, rows) = Adoption.adopting(changes, (table, stages, linked), state) else {
      return (self, state)
    }
    var trees = self
    _ = trees.apply(StoreChanges(from: state, to: next, rows: rows).rows(for: trees), from: state, to: next)
    return (trees, next)
  }
}

/// Takes excluded commits into the tables of a baseline.
private enum Adoption {
  typealias Adopted = (state: StoreState, rows: [(table: Int, rows: [UInt64])])

  static func adopting(
    _ changes: StoreChanges, _ query: (table: Int, stages: [QueryStage], linked: [Operand]),
    _ state: StoreState
  ) -> Adopted? {
    let grouped = query.linked.flatMap(\.chains).flatMap { $0.tables(in: state.catalog) }
    let linked = Set(grouped + query.stages.tables(in: state.catalog))
    var tables = state.tables
    var taken: [(table: Int, rows: [UInt64])] = []
    for number in linked.union([query.table]).sorted() {
      let info = state.catalog.entities[number]
      // What does not pass the filter is not there, for this observer, unless it is read over a link.
      let filter = number == query.table && !linked.contains(number) ? query.stages[0].filter : nil
      let rows = adopt(changes, number, &tables[number]) { own, before in
        let own = own.flatMap { filter?.matches($0.object, state.context) ?? true ? $0 : nil }
        let before = before.flatMap { filter?.matches($0.object, changes.old.context) ?? true ? $0 : nil }
        switch (own, before) {
        case (nil, nil): return true
        case (let own?, let before?): return own.row == before.row && info.isSame(own.object, before.object)
        default: return false
        }
      }
      if !rows.isEmpty { taken.append((number, rows)) }
    }
    if taken.isEmpty { return nil }
    let next = StoreState(
      version: state.version, context: .unnumbered(state.catalog, tables), pins: VersionPins())
    return (next, taken)
  }

  /// Has a table take what a commit did to those of its objects of which nothing is left to report.
  ///
  /// - Parameter isReported: whether an object in the table is as it was before the commit.
  /// - Returns: the rows that differ now, ascending.
  private static func adopt(
    _ changes: StoreChanges, _ number: Int, _ table: inout TableState,
    isReported: (_ own: FoundRow?, _ before: FoundRow?) -> Bool
  ) -> [UInt64] {
    let info = changes.old.catalog.entities[number]
    var taken: Set<UInt64> = []
    for edit in ObjectEdit.edits(changes.rows(in: number), info.ids) {
      guard let object = edit.old?.old ?? edit.new?.new else { continue }
      let own = table.find(
        hash: info.ids.hash(object), isMatch: { info.ids.isSame($0, object) },
        compare: info.ids.compare.map { compare in { compare(object, $0) } })
      let before = edit.old.flatMap { row in row.old.map { FoundRow(row.row, $0) } }
      guard isReported(own, before) else { continue }
      if let own {
        table.remove(own.row, info)
        taken.insert(own.row)
      }
      if let new = edit.new {
        table.adopt(new.row, from: changes.new.tables[number], info)
        taken.insert(new.row)
      }
    }
    return taken.sorted()
  }
}
