import LiveStore
import TestSupport
import Testing

@Suite struct ListQueryTests {
  static func makeStore() throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 1...6 { try tx.insert(Topic(id: id, name: "t\(id)", weight: id)) }
      try tx.insert(Article(id: 1, title: "a", topics: [1, 2, 1]))
      try tx.insert(Article(id: 2, title: "b", topics: [3]))
    }
    return store
  }

  @Test func `the objects of a list are a live collection`() throws {
    let store = try Self.makeStore()
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Topic.linked(from: \Article.topics, of: 1)).map(\.id) == [1, 2, 1])
    #expect(
      snapshot.fetch(Topic.linked(from: \Article.topics, of: 1).sorted(by: \.weight, .descending)).map(\.id)
        == [
          2, 1, 1,
        ])
    #expect(
      snapshot.fetch(Topic.linked(from: \Article.topics, of: 1).where { $0.weight > 1 }).map(\.id) == [2])
    #expect(snapshot.fetch(Topic.linked(from: \Article.topics, of: 9)).isEmpty)
    #expect(snapshot.fetch(Topic.linked(from: \Article.topics, of: 1).limit(2)).map(\.id) == [1, 2])
  }

  @Test func `the first of two entries of an object can be removed`() async throws {
    let store = try Self.makeStore()
    let (initial, changes) = try store.subscribe(Topic.linked(from: \Article.topics, of: 1))
    #expect(initial.map(\.id) == [1, 2, 1])
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Article.self, 1) { _ = $0.topics.removeFirst() } }
    var change = try #require(await iterator.next()?.changes)
    #expect(change.deletions == [0])
    #expect(change.insertions.isEmpty && change.moves.isEmpty && change.modifications.isEmpty)
    try await store.write { tx in
      try tx.update(Article.self, 1) { article in
        article.topics.append(5)
        article.topics.move(from: 2, to: 0)
      }
      try tx.update(Topic.self, 2) { $0.weight = 99 }
    }
    change = try #require(await iterator.next()?.changes)
    #expect(change.current.map(\.id) == [5, 2, 1])
    #expect(change.insertions == [0])
    #expect(change.modifications.map(\.newIndex) == [1])
    try await store.write { tx in try tx.update(Article.self, 1) { $0.topics.swapAt(0, 2) } }
    change = try #require(await iterator.next()?.changes)
    #expect(change.current.map(\.id) == [1, 2, 5])
    #expect(change.deletions.isEmpty && change.insertions.isEmpty)
    #expect(change.moves.count == 2)
    try await store.write { tx in _ = try tx.delete(Article.self, 1) }
    change = try #require(await iterator.next()?.changes)
    #expect(change.deletions == [0, 1, 2])
    try await store.write { tx in try tx.insert(Article(id: 1, title: "again", topics: [3, 3])) }
    change = try #require(await iterator.next()?.changes)
    #expect(change.current.map(\.id) == [3, 3])
    try await store.write { tx in _ = try tx.delete(Topic.self, 3) }
    change = try #require(await iterator.next()?.changes)
    #expect(change.deletions == [0, 1])
  }

  /// In full some seventy thousand times: more than sixteen bits distinguish.
  @Test func `a list may name one object any number of times`() async throws {
    let store = try Self.makeStore()
    let count = Environment.size(4_000, thorough: 70_000)
    let sorted = Topic.linked(from: \Article.topics, of: 1).sorted(by: \.weight)
    var byWeight = store.changes(of: sorted).makeAsyncIterator()
    var asListed = store.changes(of: Topic.linked(from: \Article.topics, of: 1)).makeAsyncIterator()
    _ = (await byWeight.next(), await asListed.next())
    // All at once, into a list that is observed.
    try await store.write { tx in
      try tx.update(Article.self, 1) { $0.topics = RefList(repeatElement(Ref(4), count: count)) }
    }
    #expect(await asListed.next()?.results?.count == count)
    #expect(await byWeight.next()?.results?.count == count)
    #expect(store.snapshot().fetch(sorted).count == count)
  }

  @Test func `an excluded edit of a list is in previous, and one of others is delivered`() async throws {
    let store = try Self.makeStore()
    var iterator = store.changes(of: Topic.linked(from: \Article.topics, of: 1), excluding: ["mine"])
      .makeAsyncIterator()
    #expect(await iterator.next()?.results?.map(\.id) == [1, 2, 1])
    try await store.write(origin: "mine") { tx in
      try tx.update(Article.self, 1) { $0.topics.append(4) }
      try tx.update(Topic.self, 2) { $0.weight = 20 }
    }
    try await store.write { tx in try tx.update(Article.self, 2) { $0.topics.append(4) } }
    try await store.write { tx in try tx.update(Topic.self, 4) { $0.name = "theirs" } }
    var change = try #require(await iterator.next()?.changes)
    #expect(change.previous.map(\.id) == [1, 2, 1, 4])
    #expect(change.previous[1].weight == 20)
    #expect(change.modifications.map(\.newIndex) == [3])
    #expect(change.deletions.isEmpty && change.insertions.isEmpty && change.moves.isEmpty)
    // The list as others left it is not reported yet, so the edit of mine is delivered with theirs.
    try await store.write { tx in try tx.update(Article.self, 1) { _ = $0.topics.removeFirst() } }
    try await store.write(origin: "mine") { tx in try tx.update(Article.self, 1) { $0.topics.append(6) } }
    change = try #require(await iterator.next()?.changes)
    #expect(change.previous.map(\.id) == [1, 2, 1, 4])
    #expect(change.current.map(\.id) == [2, 1, 4, 6])
    #expect(change.deletions == [0])
    #expect(change.insertions == [3])
  }

  @Test func `every commit to a list is an event of its own`() async throws {
    let store = try Self.makeStore()
    let list = Topic.linked(from: \Article.topics, of: 1)
    var iterator = store.changes(of: list, mode: .everyCommit).makeAsyncIterator()
    #expect(await iterator.next()?.results?.map(\.id) == [1, 2, 1])
    try await store.write { tx in try tx.update(Article.self, 1) { $0.topics.move(from: 1, to: 0) } }
    try await store.write { tx in try tx.update(Topic.self, 5) { $0.weight = 50 } }
    try await store.write { tx in try tx.update(Topic.self, 1) { $0.weight = 10 } }
    try await store.write { tx in _ = try tx.delete(Topic.self, 1) }
    var change = try #require(await iterator.next()?.changes)
    #expect(change.moves.map(\.id) == [2])
    #expect(change.current.map(\.id) == [2, 1, 1])
    change = try #require(await iterator.next()?.changes)
    #expect(change.modifications.map(\.newIndex) == [1, 2])
    change = try #require(await iterator.next()?.changes)
    #expect(change.deletions == [1, 2])
    #expect(change.current.map(\.id) == [2])
  }

  @Test func `a change of a row is passed to the lists that hold it and to no others`() async throws {
    let store = try Self.makeStore()
    try await store.write { tx in
      for id in 10..<60 { try tx.insert(Article(id: id, title: "\(id)", topics: [4])) }
    }
    let observers = try (10..<60).map {
      try store.subscribe(Topic.linked(from: \Article.topics, of: $0)).changes
    }
    let other = try store.subscribe(Topic.linked(from: \Article.topics, of: 2)).changes
    let before = store.metrics.updates
    try await store.write { tx in try tx.update(Topic.self, 3) { $0.weight = 30 } }
    var iterator = other.makeAsyncIterator()
    #expect(await iterator.next()?.changes?.modifications.map(\.id) == [3])
    #expect(store.metrics.updates - before == 1)
    try await store.write { tx in try tx.update(Article.self, 30) { $0.topics.append(5) } }
    try await store.settled()
    #expect(store.metrics.updates - before == 2)
    withExtendedLifetime(observers) {}
  }

  @Test func `an object that stands in a list twice is edited once`() throws {
    let store = try Self.makeStore()
    try store.write { tx in
      let edited = try tx.update(Topic.linked(from: \Article.topics, of: 1)) { $0.weight += 10 }
      #expect(edited == 2)
    }
    #expect(store.snapshot().fetch(Topic.linked(from: \Article.topics, of: 1)).map(\.weight) == [11, 12, 11])
  }

  @Test func `the place of an object in a list is that of its first entry`() throws {
    let snapshot = try Self.makeStore().snapshot()
    let list = Topic.linked(from: \Article.topics, of: 1)
    let results = snapshot.fetch(list)
    #expect(results.firstIndex(id: 1) == 0 && results.firstIndex(id: 2) == 1)
    #expect(results.firstIndex(id: 3) == nil && results[id: 2]?.name == "t2")
    #expect(list.explain(in: snapshot).contains("3 entries"))
    #expect(list.where { $0.weight > 1 }.explain(in: snapshot).contains("weight > 1"))
  }
}
