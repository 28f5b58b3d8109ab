import LiveStore
import TestSupport
import Testing

/// What commits to other tables make queries over links do, counted in place of measured times.
@Suite struct LinkedCostTests {
  private func filled(articles: Int, writers: Int = 100) throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      try tx.insert(contentsOf: (0..<writers).map { Writer(id: $0, name: "w\($0)", age: $0) })
      try tx.insert(contentsOf: (0..<200).map { Topic(id: $0, name: "t\($0)", weight: 1) })
      try tx.insert(
        contentsOf: (0..<articles).map { id in
          Article(
            id: id, title: "a\(id)", likes: id % 7, author: Ref(id % writers),
            topics: [Ref(id % (articles / 500))])
        })
    }
    return store
  }

  @Test func `renaming a topic of 500 articles examines 500 rows, however many there are`() async throws {
    let store = try filled(articles: Environment.size(4_500, thorough: 100_000))
    let (initial, changes) = try store.subscribe(Article.where { $0.topics.contains { $0.name == "t7" } })
    #expect(initial.count == 500)
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Topic.self, 7) { $0.name = "other" } }
    #expect(await iterator.next()?.changes?.deletions.count == 500)
    #expect(store.metrics.linkedTests == 500)
    // A property that no query names does not matter.
    try await store.write { tx in try tx.update(Topic.self, 8) { $0.weight = 9 } }
    try await store.write { tx in try tx.update(Writer.self, 8) { $0.age = 99 } }
    try await store.settled()
    #expect(store.metrics.linkedTests == 500)
    #expect(store.metrics.rebuilds == 0)
  }

  @Test func `a rename updates, of many queries by an author's name, those of its two names`() async throws {
    let count = Environment.size(100, thorough: 1_000)
    let store = try filled(articles: 2_000, writers: count)
    let tokens = (0..<count).map { number in
      store.observe(Article.where { $0.author.name == "w\(number)" }) { _ in }
    }
    try await store.settled()
    let start = store.metrics
    #expect(start.liveQueries == count && start.unroutedQueries == 0)
    try await store.write { tx in try tx.update(Writer.self, 5) { $0.age = 1 } }
    try await store.settled()
    #expect(store.metrics.updates == start.updates && store.metrics.linkedTests == start.linkedTests)
    try await store.write { tx in try tx.update(Writer.self, 5) { $0.name = "w6" } }
    try await store.settled()
    #expect(store.metrics.updates - start.updates == 2)
    #expect(store.metrics.linkedTests - start.linkedTests == 2_000 / count)
    #expect(store.metrics.unroutedTests == start.unroutedTests)
    tokens.forEach { $0.invalidate() }
  }

  @Test func `adding a topic to one article costs the same among a thousand articles and among many more`()
    async throws
  {
    var costs: [[Int]] = []
    for count in [1_000, Environment.size(3_000, thorough: 50_000)] {
      let store = try filled(articles: count)
      let query = Article.where { $0.topics.where { $0.weight > 0 }.count >= 1 }.sorted(by: \.author.name)
      let (initial, changes) = try store.subscribe(query)
      var iterator = changes.makeAsyncIterator()
      let start = store.metrics
      try await store.write { tx in try tx.update(Article.self, 17) { $0.topics.append(5) } }
      let event = try #require(await iterator.next())
      #expect(event.changes?.modifications.map(\.id) == [17])
      let after = store.metrics
      costs.append([
        after.updates - start.updates, after.linkedTests - start.linkedTests,
        after.unroutedTests - start.unroutedTests, after.rebuilds - start.rebuilds,
      ])
      // A path from the root, however many there are.
      let nodes = try #require(event.results).window.tree.nodesNotShared(with: initial.window.tree)
      #expect(nodes <= 5, "\(nodes) nodes of the result are new")
    }
    #expect(costs[0] == costs[1])
    #expect(costs[0] == [1, 0, 0, 0])
  }
}
