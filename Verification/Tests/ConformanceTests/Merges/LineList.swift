import LiveStore

/// Lines in the list of one object, which is edited as the cases say and observed.
struct LineList {
  /// Holds the list.
  struct Pile: Entity {
    let id: Int
    var lines = RefList<Line>()

    static let schema = Schema<Pile> { Relation(\.lines) }
  }

  private let store: Store
  private let observation: Observation<CollectionChange<Line>>

  /// A list of some ids, one of which may be there several times; `others` are there to be put in.
  init(_ ids: [Int], others: Set<Int> = []) async throws {
    let store = try Store(Line.self, Pile.self)
    self.store = store
    try await store.write { tx in
      try tx.insert(
        contentsOf: others.union(ids).sorted().map { Line(id: $0, position: Double($0)) })
      try tx.insert(Pile(id: 0, lines: RefList(ids: ids)))
    }
    observation = Observation { recorder in
      store.observe(Line.linked(from: \Pile.lines, of: 0)) { recorder.add($0) }
    }
    try await store.settled()
    let events = observation.take()
    guard events.count == 1, case .initial(let lines) = events[0] else {
      throw CaseFailure.wrong("start", expected: "one initial event", seen: events)
    }
    try demand("initial list", expected: ids, seen: Array(lines.ids))
  }

  /// The change set of one transaction that edits the list and the lines with some ids; nil where there is none.
  func changes(modified: Set<Int>, _ edit: (inout RefList<Line>) throws -> Void) async throws
    -> ChangeSet<Line>?
  {
    let lines = try await store.write { tx in
      try tx.update(Pile.self, 0) { try edit(&$0.lines) }
      for id in modified { try tx.update(Line.self, id) { $0.value += 1 } }
      return tx[Pile.self, 0]?.lines.ids ?? []
    }
    try await store.settled()
    let events = observation.take()
    if events.isEmpty { return nil }
    guard events.count == 1, case .update(let results, let changes) = events[0] else {
      throw CaseFailure.wrong("events", expected: "at most one update", seen: events)
    }
    try demand("list", expected: lines, seen: Array(results.ids))
    return changes
  }
}
