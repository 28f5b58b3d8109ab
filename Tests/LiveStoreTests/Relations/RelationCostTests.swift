import LiveStore
import TestSupport
import Testing

/// Costs are counted in nodes, never in time.
@Suite struct `Costs of relations` {
  private func makeStore(articles: Int) throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 0..<100 { try tx.insert(Topic(id: id, name: "\(id)")) }
      for id in 0..<articles {
        try tx.insert(Article(id: id, title: "", topics: [Ref(id % 90), Ref((id + 1) % 90)]))
      }
    }
    return store
  }

  /// The nodes of all trees of a table that a write made.
  private func nodesMade<Element: Entity>(
    _: Element.Type, by store: Store, _ body: (borrowing WriteTransaction) throws -> Void
  ) throws -> (rows: Int, links: [Int], indexes: [Int]) {
    let before = store.snapshot()
    try store.write { tx in try body(tx) }
    let after = store.snapshot()
    let number = try #require(before.state.catalog.index(of: Element.self))
    let (old, new) = (before.state.tables[number], after.state.tables[number])
    return (
      new.rows.nodesNotShared(with: old.rows),
      zip(new.inverted, old.inverted).map { $0.nodesNotShared(with: $1) },
      zip(new.indexes, old.indexes).map { $0.nodesNotShared(with: $1) }
    )
  }

  /// How many nodes one entry makes at most in an index of links: a path of four levels, of which each below the root may
  /// be split. Which are depends on the seed of the process's hashes.
  private static let splitPath = 7

  @Test(arguments: [1_000, Environment.size(10_000, thorough: 100_000)])
  func `another tag copies one path, however many posts there are`(
    articles: Int
  ) throws {
    let store = try makeStore(articles: articles)
    for topic in [5, 95] {
      let made = try nodesMade(Article.self, by: store) { tx in
        try tx.update(Article.self, articles / 2) { $0.topics.append(Ref(topic)) }
      }
      // A path has three levels among a thousand, at most four among a hundred thousand.
      #expect(made.rows <= 4)
      #expect(made.links[1] <= Self.splitPath)
      #expect(made.links[0] == 0 && made.indexes == [0])
    }
    let other = try nodesMade(Article.self, by: store) { tx in
      try tx.update(Article.self, 7) { $0.likes += 1 }
    }
    #expect(other.links == [0, 0], "what holds no link changed")
  }

  @Test func `an edit of a long list touches its own entry alone`() throws {
    let store = try makeSocialStore()
    let size = 10_000
    try store.write { tx in
      for id in 0...size { try tx.insert(Topic(id: id, name: "\(id)")) }
      try tx.insert(Article(id: 1, title: "", topics: RefList(ids: 0..<size)))
    }
    let added = try nodesMade(Article.self, by: store) { tx in
      try tx.update(Article.self, 1) { $0.topics.append(Ref(size)) }
    }
    #expect(added.links[1] <= Self.splitPath)
    let moved = try nodesMade(Article.self, by: store) { tx in
      try tx.update(Article.self, 1) { $0.topics.move(from: 0, to: size - 1) }
    }
    #expect(moved.links[1] == 0)
    let decoded = try nodesMade(Article.self, by: store) { tx in
      try tx.update(Article.self, 1) { $0.topics = RefList(ids: 1...size) }
    }
    #expect(decoded.links[1] <= Self.splitPath)
  }

  @Test func `an untouched list is not examined`() throws {
    // The list's own `==` would ask each of these ids; sharing memory, none is asked.
    let store = try Store(Counted.self)
    let ids = (0..<1_000).map { CountedID(number: $0) }
    try store.write { tx in
      for id in ids { try tx.insert(Counted(id: id)) }
      try tx.update(Counted.self, ids[0]) { $0.list = RefList(ids: ids) }
    }
    let before = CountedID.comparisons.events.count
    try store.write { tx in
      try tx.update(Counted.self, ids[0]) { $0.value += 1 }
    }
    #expect(CountedID.comparisons.events.count - before < 20)
  }

  @Test func `a cascade makes no more nodes of the rows that stay, however many those are`() throws {
    // Deleting all of one author's posts leaves the other author's trees shared but for the edges.
    for size in [200, Environment.size(5_000, thorough: 20_000)] {
      let store = try makeSocialStore()
      try store.write { tx in
        try tx.insert(Writer(id: 1, name: ""))
        try tx.insert(Article(id: 0, title: "", author: 1))
        try tx.insert(Article(id: 1, title: "", author: 1))
        for id in 0..<2 * size { try tx.insert(Reply(id: id, article: Ref(id < size ? 0 : 1))) }
      }
      let made = try nodesMade(Reply.self, by: store) { tx in _ = try tx.delete(Article.self, 1) }
      #expect(made.rows <= 4, "\(size)")
      #expect(store.snapshot().count(Reply.all) == size)
      #expect(try store.snapshot().breachOfTables() == nil)
    }
  }
}

/// An id that counts how often it is compared.
private struct CountedID: Hashable, Sendable {
  static let comparisons = Recorder<Int>()
  let number: Int

  static func == (lhs: CountedID, rhs: CountedID) -> Bool {
    comparisons.append(1)
    return lhs.number == rhs.number
  }
}

private struct Counted: Entity {
  let id: CountedID
  var value = 0
  var list = RefList<Counted>()
  static let schema = Schema<Counted> {
    \.value
    \.list
  }
}
