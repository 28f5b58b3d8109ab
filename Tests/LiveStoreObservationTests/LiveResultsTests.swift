import Foundation
import LiveStore
import LiveStoreObservation
import Observation
import Synchronization
import TestSupport
import Testing

@MainActor @Suite struct LiveResultsTests {
  private func store(_ count: Int) async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, name: "item \($0)", rank: $0) })
    }
    return store
  }

  @Test func `nothing is observed before the first read`() async throws {
    let store = try await store(3)
    let results = LiveResults(store, Item.all, initial: .deferred)
    #expect(store.metrics.observers == 0)
    #expect(results.isLoading)
    #expect(store.metrics.observers == 1)
    try await store.settled()
    #expect(results.elements.map(\.id) == [0, 1, 2])
    #expect(!results.isLoading)
    #expect(results.lastChange == nil)
    #expect(results.version == store.version)
  }

  @Test func `a filter that fails leaves the last results and its error`() async throws {
    let store = try await store(3)
    try await store.write { tx in try tx.update(Item.all) { $0.score = 1 } }
    let results = LiveResults(store, Item.failing.where { $0.score > 0 })
    _ = results.elements
    try await store.settled()
    #expect(results.elements.count == 3)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = CostlyPattern.text } }
    try await store.settled()
    #expect(results.error?.code == StoreError.filterTooExpensive)
    #expect(results.elements.map(\.id) == [0, 1, 2])
    try await store.write { tx in
      try tx.update(Item.self, 1) { item in
        item.name = ""
        item.score = 0
      }
    }
    #expect(results.error != nil)
    results.refresh()
    #expect(results.error == nil)
    #expect(results.elements.map(\.id) == [0, 2])
    #expect(results.lastChange?.deletions == [1])
  }

  @Test func `the first change after an error starts from the results before it`() async throws {
    let store = try await store(4)
    try await store.write { tx in try tx.update(Item.self, 0) { $0.name = CostlyPattern.text } }
    let results = LiveResults(store, Item.sorted(by: \.rank))
    _ = results.elements
    try await store.settled()
    let reader = Invalidations { _ = results[id: 1] }
    results.query = Item.failing
    try await store.settled()
    #expect(results.error != nil && reader.count == 0)
    results.query = Item.where { $0.rank > 1 }
    try await store.settled()
    #expect(results.elements.map(\.id) == [2, 3] && results.error == nil)
    #expect(results.lastChange?.deletions == [0, 1])
    #expect(reader.count == 1)
    // And after an error that came twice.
    results.query = Item.failing
    try await store.settled()
    results.refresh()
    #expect(results.error != nil)
    try await store.write { tx in try tx.update(Item.all) { $0.name = "" } }
    results.refresh()
    #expect(results.elements.map(\.id) == [0, 1, 2, 3] && results.error == nil)
    #expect(results.lastChange?.insertions == [0, 1])
    #expect(results.lastChange?.modifications.map(\.id) == [2, 3])
  }

  @Test func `ten writes in one transaction invalidate once`() async throws {
    let store = try await store(1)
    let results = LiveResults(store, Item.sorted(by: \.rank))
    _ = results.elements
    try await store.settled()
    let invalidations = Mutex(0)
    withObservationTracking {
      _ = results.elements.count
    } onChange: {
      invalidations.withLock { $0 += 1 }
    }
    try store.writeElsewhere { tx in
      for id in 10..<20 { try tx.insert(Item(id, rank: -id)) }
    }
    try await store.settled()
    #expect(invalidations.withLock { $0 } == 1)
    #expect(results.elements.count == 11)
    #expect(results.lastChange?.insertions == Array(0..<10))
  }

  @Test func `another query keeps the old results until the new are there, and reports the change between`()
    async throws
  {
    let store = try await store(5)
    let results = LiveResults(store, Item.where { $0.rank < 3 }.sorted(by: \.rank))
    _ = results.elements
    try await store.settled()
    results.query = Item.where { $0.rank >= 2 }.sorted(by: \.rank)
    #expect(results.elements.map(\.id) == [0, 1, 2])
    try await store.settled()
    #expect(results.elements.map(\.id) == [2, 3, 4])
    #expect(results.lastChange?.deletions == [0, 1])
    #expect(results.lastChange?.insertions == [1, 2])
    #expect(store.metrics.liveQueries == 1)
  }

  @Test func `the change between queries of different order has the fewest moves`() async throws {
    let store = try await store(6)
    let results = LiveResults(store, Item.all)
    _ = results.elements
    try await store.settled()
    results.query = Item.where { $0.rank != 3 }.sorted(by: \.isDone).sorted(by: \.rank, .descending)
    try await store.settled()
    #expect(results.elements.map(\.id) == [5, 4, 2, 1, 0])
    #expect(results.lastChange?.deletions == [3])
    #expect(results.lastChange?.moves.count == 4)
    #expect(results.lastChange?.modifications.count == 0)
  }

  @Test func `paused results stay and catch up with one change`() async throws {
    let store = try await store(1)
    let results = LiveResults(store, Item.all)
    _ = results.elements
    try await store.settled()
    results.pause()
    try await store.write { tx in try tx.insert(Item(7)) }
    try await store.write { tx in try tx.insert(Item(8)) }
    try await store.settled()
    #expect(results.elements.count == 1)
    results.resume()
    try await store.settled()
    #expect(results.elements.count == 3)
    #expect(results.lastChange?.insertions == [1, 2])
  }

  @Test func `released results leave nothing behind`() async throws {
    let store = try await store(1)
    var results: LiveResults<Item>? = LiveResults(store, Item.all)
    weak let weakResults = results
    _ = results?.elements
    try await store.settled()
    results = nil
    #expect(weakResults == nil)
    // A delivery that has been settled looks for more, and keeps what it observes until it has looked.
    let isLeft = await isReached { store.metrics.observers == 0 }
    #expect(isLeft)
  }

  /// Bug: asking for all the rest ended the process.
  @Test func `a window grows to all that there is`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Item($0) }) }
    let list = LiveResults(store, Item.all.limit(2), initial: .synchronous)
    #expect(list.elements.count == 2)
    list.loadMore(.max)
    list.loadMore()
    list.refresh()
    #expect(list.elements.count == 5)
  }
}
