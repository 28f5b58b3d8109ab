import LiveStore
import LiveStoreObservation
import Observation
import TestSupport
import Testing

/// Who is invalidated, by what, and how often.
@MainActor @Suite struct LiveResultsPrecisionTests {
  private func store(_ count: Int) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, name: "item \($0)", rank: $0) })
    }
    return store
  }

  @Test func `the first value of a model is available synchronously where asked`() throws {
    let store = try store(3)
    let results = LiveResults(store, Item.where { $0.rank > 0 }, initial: .synchronous)
    #expect(store.metrics.observers == 0)
    #expect(results.elements.map(\.id) == [1, 2])
    #expect(!results.isLoading && results.lastChange == nil && results.version == store.version)
  }

  @Test func `a reader of one element is invalidated by this element alone`() async throws {
    let store = try store(100)
    let results = LiveResults(store, Item.where { $0.rank >= 0 }.sorted(by: \.rank), initial: .synchronous)
    let element = Invalidations { _ = results[id: 7]?.name }
    let missing = Invalidations { _ = results[id: 500] }
    let list = Invalidations { _ = results.elements.count }
    try await store.write { tx in try tx.update(Item.self, 8) { $0.name = "eight" } }
    try await store.settled()
    #expect(element.count == 0 && missing.count == 0 && list.count == 1)
    try await store.write { tx in try tx.update(Item.self, 7) { $0.name = "seven" } }
    try await store.settled()
    #expect(element.count == 1)
    #expect(results[id: 7]?.name == "seven")
    await Task.yield()
    try await store.write { tx in try tx.update(Item.self, 7) { $0.rank = -1 } }
    try await store.settled()
    #expect(element.count == 2 && results[id: 7] == nil)
    try await store.write { tx in try tx.insert(Item(500)) }
    try await store.settled()
    #expect(missing.count == 1 && results[id: 500]?.id == 500)
    try results.edit { tx in try tx.update(Item.self, 500) { $0.name = "edited" } }
    #expect(results[id: 500]?.name == "edited")
  }

  @Test func `a reader of an element is invalidated when the first results are shown`() async throws {
    let store = try store(2)
    let results = LiveResults(store, Item.all, initial: .deferred)
    let element = Invalidations { _ = results[id: 1] }
    #expect(results[id: 1] == nil)
    try await store.settled()
    #expect(element.count == 1 && results[id: 1]?.id == 1)
  }

  @Test func `a reader of nothing that differs is not invalidated`() async throws {
    let store = try store(2)
    let results = LiveResults(store, Item.all, initial: .synchronous)
    _ = results.elements
    let quiet = Invalidations { _ = (results.isLoading, results.error, results.query) }
    let all = Invalidations { _ = (results.elements, results.lastChange, results.version) }
    try await store.write { tx in
      for id in 10..<20 { try tx.insert(Item(id)) }
    }
    try await store.settled()
    #expect(quiet.count == 0)
    #expect(all.count == 1)
  }

  @Test func `commits that do not concern the results invalidate no reader`() async throws {
    let store = try store(10)
    let results = LiveResults(store, Item.where { $0.rank < 3 }, initial: .synchronous)
    let reader = Invalidations { _ = (results.elements, results.version) }
    for rank in 100..<110 {
      try await store.write { tx in try tx.update(Item.self, 9) { $0.rank = rank } }
    }
    try await store.settled()
    #expect(reader.count == 0)
  }

  @Test func `more of a window is shown at once, with the change that leads to it`() async throws {
    let store = try store(10)
    let results = LiveResults(store, Item.sorted(by: \.rank).limit(3), initial: .synchronous)
    #expect(results.elements.map(\.id) == [0, 1, 2])
    results.loadMore()
    #expect(results.limit == 6 && results.elements.map(\.id) == Array(0..<6))
    #expect(results.lastChange?.insertions == [3, 4, 5])
    results.offset = 2
    #expect(results.elements.map(\.id) == Array(2..<8))
    #expect(results.lastChange?.deletions == [0, 1] && results.lastChange?.insertions == [4, 5])
    results.limit = nil
    #expect(results.elements.count == 8)
    results.loadMore()
    #expect(results.elements.count == 8)
    // The deliveries of earlier windows end once they have looked for something new.
    let isLeft = await isReached { store.metrics.liveQueries == 1 && store.metrics.observers == 1 }
    #expect(isLeft)
    withExtendedLifetime(results) {}
  }

  @Test func `a window of what is loaded in the background is shown at once`() async throws {
    let store = try store(10)
    let results = LiveResults(store, Item.sorted(by: \.rank).limit(3), initial: .deferred)
    _ = results.elements
    try await store.settled()
    results.loadMore(1)
    #expect(results.elements.map(\.id) == [0, 1, 2, 3])
    #expect(!results.isLoading)
  }

  @Test func `queries that are replaced before they load leave nothing behind`() async throws {
    let store = try store(100)
    let results = LiveResults(store, Item.where { $0.rank > 0 })
    _ = results.elements
    try await store.settled()
    for bound in 1..<50 { results.query = Item.where { $0.rank > bound } }
    #expect(results.isLoading)
    #expect(results.elements.count == 99)
    try await store.settled()
    #expect(results.elements.count == 50)
    #expect(results.lastChange?.deletions == Array(0..<49))
    #expect(store.metrics.liveQueries == 1 && store.metrics.observers == 1)
  }

  @Test func `an entity the store does not have is an error, and so is a closed store`() async throws {
    let store = try store(1)
    let foreign = LiveResults(store, Stranger.all)
    #expect(foreign.elements.isEmpty)
    try await store.settled()
    #expect(foreign.error?.code == StoreError.unknownEntity)
    #expect(!foreign.isLoading)
    let results = LiveResults(store, Item.all, initial: .synchronous)
    #expect(results.elements.count == 1)
    store.close()
    #expect(results.elements.count == 1 && results.error?.code == StoreError.closed)
    let late = LiveResults(store, Item.all, initial: .synchronous)
    #expect(late.error?.code == StoreError.closed)
  }

  struct Stranger: Entity {
    let id: Int
    static let schema = Schema<Stranger> {}
  }

  @Test func `Observations of a model give its results as they change`() async throws {
    let store = try store(1)
    let results = LiveResults(store, Item.all, initial: .synchronous)
    let counts = Observations { results.elements.count }
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    for count in 2..<5 {
      try await store.write { tx in try tx.insert(Item(count)) }
      #expect(await iterator.next() == count)
    }
  }
}
