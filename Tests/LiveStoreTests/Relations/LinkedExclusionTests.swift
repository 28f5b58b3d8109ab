import LiveStore
import TestSupport
import Testing

/// Observers of linked queries that leave out the commits of an origin, "a" in all of these.
@Suite struct LinkedExclusionTests {
  /// Bug: an excluded rename was delivered.
  ///
  /// Cause: the baseline took the rows of the query's own table alone.
  @Test func `an excluded rename of an author is not delivered when others changed something before`()
    async throws
  {
    let store = try LinkedQueryTests.makeStore()
    let query = Article.where { $0.likes == 1 }.tracking(\.author.name)
    var iterator = store.changes(of: query, excluding: ["a"]).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in try tx.update(Article.self, 1) { $0.title = "theirs" } }
    try await store.write(origin: "a") { tx in try tx.update(Writer.self, 3) { $0.name = "mine" } }
    guard case .update(_, let changes)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(changes.modifications.map(\.id) == [1])
    #expect(changes.previous.snapshot[Writer.self, 3]?.name == "mine")
  }

  /// Bug: the deletion was never reported.
  ///
  /// Cause: the writer itself was as before the excluded commit; that a linked value was not did not count.
  @Test func `a row that others changed through a link alone is held back`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in try tx.insert(Writer(id: 1, name: "a")) }
    let query = Writer.where { $0.linking(\Article.author).count < 5 }
    var iterator = store.changes(of: query, excluding: ["a"]).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write(origin: "b") { tx in try tx.insert(Article(id: 1, title: "", author: 1)) }
    try await store.write(origin: "a") { tx in
      try tx.delete(Article.self, 1)
      try tx.delete(Writer.self, 1)
    }
    // Something else to report in any case.
    try await store.write(origin: "b") { tx in try tx.insert(Writer(id: 2, name: "b")) }
    guard case .update(_, let changes)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(changes.previous.map(\.id) == [1] && changes.current.map(\.id) == [2])
    #expect(changes.deletions == [0] && changes.insertions == [0])
  }

  /// Bug: the difference was not found.
  ///
  /// Cause: what was read in a baseline was stamped with the version that the baseline was last a result of,
  /// where the same row read otherwise.
  @Test func `a value read in a baseline differs from what was read at its version`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      try tx.insert(contentsOf: [Writer(id: 1, name: "a"), Writer(id: 2, name: "a")])
      try tx.insert(Article(id: 1, title: "", author: 1))
      try tx.insert(contentsOf: [Reply(id: 1, article: 1), Reply(id: 2, article: 1)])
    }
    let query = Reply.all.tracking(\.article.author.name)
    var iterator = store.changes(of: query, excluding: ["a"]).makeAsyncIterator()
    _ = await iterator.next()
    // Something to report, so that there is a baseline, and a relink that changes no name.
    try await store.write { tx in try tx.update(Reply.self, 2) { $0.text = "theirs" } }
    try await store.write { tx in try tx.update(Article.self, 1) { $0.author = 2 } }
    try await store.write(origin: "a") { tx in try tx.update(Writer.self, 1) { $0.name = "b" } }
    guard case .update(_, let changes)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    // In the baseline, the article is still the first writer's.
    #expect(changes.modifications.map(\.id) == [1, 2])
    #expect(
      changes.modifications.first?.properties.map(\.description) == ["article.author.name: \"b\" → \"a\""])
  }
}
