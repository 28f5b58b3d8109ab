import TestSupport
import Testing

import LiveStore

/// The changes that single edits of a list are delivered as, and their costs, in counters.
@Suite struct ListCostTests {
  private typealias Event = CollectionChange<Topic>

  private static func makeStore(_ topics: Int, _ lists: [Int: [Int]]) throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 0..<topics { try tx.insert(Topic(id: id, name: "t\(id)", weight: id * 7 % 100)) }
      for (id, ids) in lists.sorted(by: { $0.key < $1.key }) {
        try tx.insert(Article(id: id, title: "a\(id)", topics: RefList(ids: ids)))
      }
    }
    return store
  }

  /// The only change set that an edit of article 1 gives an observer.
  private static func change(
    _ store: Store, _ events: Recorder<Event>, _ edit: @escaping @Sendable (inout RefList<Topic>) -> Void
  ) async throws -> ChangeSet<Topic>? {
    let count = events.count
    try await store.write { tx in try tx.update(Article.self, 1) { edit(&$0.topics) } }
    try await store.settled()
    try require(events.count <= count + 1, "several events")
    return events.count > count ? events.last?.changes : nil
  }

  @Test(.timeLimit(.minutes(10))) func `an edit of a list is delivered at its place, whatever else is equal`()
    async throws
  {
    for seed in Seeds.forSuite(4) {
      var random = SplitMix64(seed: seed)
      let store = try Self.makeStore(3, [1: [0, 1, 0, 2, 1, 0]])
      let events = Recorder<Event>()
      let token = store.observe(Topic.linked(from: \Article.topics, of: 1)) { events.append($0) }
      try await store.settled()
      var ids = [0, 1, 0, 2, 1, 0]
      for _ in 0..<100 {
        let topic = Int.random(in: 0..<3, using: &random)
        let place = Int.random(in: 0...ids.count, using: &random)
        if place < ids.count, Bool.random(using: &random) {
          let change = try #require(try await Self.change(store, events) { $0.remove(at: place) })
          ids.remove(at: place)
          #expect(change.deletions == [place], "seed \(seed)")
          #expect(change.insertions.isEmpty && change.moves.isEmpty && change.modifications.isEmpty)
        } else if ids.count < 12 {
          let change = try #require(
            try await Self.change(store, events) { $0.insert(Ref(topic), at: place) })
          ids.insert(topic, at: place)
          #expect(change.insertions == [place], "seed \(seed)")
          #expect(change.deletions.isEmpty && change.moves.isEmpty && change.modifications.isEmpty)
        }
        #expect(store.snapshot()[Article.self, 1]?.topics.ids == ids)
      }
      token.invalidate()
    }
  }

  @Test(.timeLimit(.minutes(10))) func `an edit among 5,000 entries shares the tree with the one before`()
    async throws
  {
    let store = try Self.makeStore(5_000, [1: Array(0..<5_000)])
    let list = Topic.linked(from: \Article.topics, of: 1)
    for query in [list, list.where { $0.weight >= 0 }, list.sorted(by: \.weight)] {
      let events = Recorder<Event>()
      let token = store.observe(query) { events.append($0) }
      try await store.settled()
      let rebuilds = store.metrics.rebuilds
      let edits: [@Sendable (inout RefList<Topic>) -> Void] = [
        { $0.insert(33, at: 2_500) }, { $0.remove(at: 4_000) }, { $0.move(from: 44, to: 4_400) },
        { $0.swapAt(555, 3_333) }, { $0[1_234] = 4_242 },
      ]
      for edit in edits {
        let change = try #require(try await Self.change(store, events, edit))
        let (old, new) = (change.previous.window.tree, change.current.window.tree)
        // Compared by stamps alone, ties of a sort by entries: only nodes that are not shared are entered.
        let difference = Tree.difference(from: old, in: 0..<old.count, to: new, in: 0..<new.count) {
          ListPositions.compare(
            $0.second, change.previous.window.positions, $1.second, change.current.window.positions)
        }
        #expect(difference.nodesVisited < 200, "of \(query)")
        #expect(difference.entriesCompared < 1_000, "of \(query)")
        #expect(difference.removed.count + difference.added.count <= 6)
      }
      #expect(store.metrics.rebuilds == rebuilds)
      token.invalidate()
    }
  }

  @Test(.timeLimit(.minutes(10))) func `a commit updates the one list of a thousand that it edits`()
    async throws
  {
    let lists = Dictionary(
      (1...1_000).map { ($0, [$0, $0 + 1, $0]) }, uniquingKeysWith: { first, _ in first })
    let store = try Self.makeStore(1_100, lists)
    let events = (1...1_000).map { _ in Recorder<Event>() }
    let tokens = (1...1_000).map { id in
      let events = events[id - 1]
      return store.observe(Topic.linked(from: \Article.topics, of: id)) { events.append($0) }
    }
    try await store.settled()
    func updates(_ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) async throws -> Int
    {
      let before = store.metrics.updates
      try await store.write { tx in try body(tx) }
      try await store.settled()
      return store.metrics.updates - before
    }
    #expect(try await updates { try $0.update(Article.self, 500) { $0.topics.append(7) } } == 1)
    #expect(events.filter { $0.count > 1 }.count == 1)
    // It stands in the lists of 299 and 300.
    #expect(try await updates { try $0.update(Topic.self, 300) { $0.weight = -1 } } == 2)
    #expect(try await updates { try $0.update(Topic.self, 1_050) { $0.weight = -1 } } == 0)
    #expect(try await updates { try $0.insert(Writer(id: 1, name: "w")) } == 0)
    #expect(store.metrics.unroutedTests == 0)
    for token in tokens { token.invalidate() }
  }

  @Test func `a list that was written back is compared with what it was`() async throws {
    let store = try Self.makeStore(6, [1: [1, 2, 1, 3]])
    let list = Topic.linked(from: \Article.topics, of: 1)
    let (events, sorted) = (Recorder<Event>(), Recorder<Event>())
    let tokens = [
      store.observe(list) { events.append($0) },
      store.observe(list.sorted(by: \.name, .descending)) { sorted.append($0) },
    ]
    try await store.settled()
    try await store.write { tx in
      try tx.update(Article.self, 1) { $0.topics.move(from: 0, to: 3) }
      try tx.update(Article.self, 1) { $0.topics.move(from: 3, to: 0) }
      try tx.insert(Writer(id: 1, name: "w"))
    }
    try await store.settled()
    #expect(events.count == 1)
    try await store.write { tx in try tx.update(Topic.self, 2) { $0.weight = -1 } }
    try await store.settled()
    #expect(events.last?.changes?.modifications.map(\.newIndex) == [1])
    let change = try #require(try await Self.change(store, events) { $0.remove(at: 0) })
    #expect(change.current.map(\.id) == [2, 1, 3])
    #expect(sorted.last?.changes?.current.map(\.id) == [3, 2, 1])
    try await store.write { tx in _ = try tx.delete(Topic.self, 1) }
    try await store.settled()
    #expect(events.last?.changes?.current.map(\.id) == [2, 3])
    for token in tokens { token.invalidate() }
  }

  @Test func `ties of a sorted list are in the order of the list`() async throws {
    let store = try Self.makeStore(200, [1: [107, 7, 3, 107, 8]])
    // 7 and 107 weigh the same, and so do none of the others.
    let query = Topic.linked(from: \Article.topics, of: 1).sorted(by: \.weight)
    #expect(store.snapshot().fetch(query).map(\.id) == [3, 107, 7, 107, 8])
    let events = Recorder<Event>()
    let token = store.observe(query) { events.append($0) }
    try await store.settled()
    let change = try #require(try await Self.change(store, events) { $0.move(from: 1, to: 4) })
    #expect(change.current.map(\.id) == [3, 107, 107, 7, 8])
    #expect(change.moves.count == 1 && change.modifications.isEmpty)
    // 3 has no ties, so its move in the list is none in the result.
    #expect(try await Self.change(store, events) { $0.move(from: 1, to: 3) } == nil)
    token.invalidate()
  }
}
