import Dispatch
import LiveStore
import LiveStoreObservation
import Observation
import TestSupport
import Testing

/// The user's own edits, and those of others at the same time.
@MainActor @Suite struct LiveResultsEditTests {
  private func store(_ count: Int, _ configuration: Store.Configuration = .init()) throws -> Store {
    let store = try Store(Item.self, configuration: configuration)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, name: "item \($0)", rank: $0) })
    }
    return store
  }

  @Test func `an edit is shown by every model at once and is no change to any`() throws {
    let store = try store(3)
    let list = LiveResults(store, Item.sorted(by: \.rank), initial: .synchronous)
    let other = LiveResults(store, Item.sorted(by: \.rank), initial: .synchronous, origin: "elsewhere")
    let total = LiveValue(store, Item.all.count, initial: .synchronous)
    let object = LiveObject(store, Item.self, 1)
    #expect(list.elements.count == 3 && other.elements.count == 3 && total.value == 3)
    #expect(object.name == "item 1")
    try object.update { $0.name = "mine" }
    #expect(object.name == "mine" && list.elements[1].name == "mine" && other.elements[1].name == "mine")
    #expect(list.lastChange == nil && object.lastChange == nil && other.lastChange == nil)
    try list.edit { tx in try tx.insert(Item(9, rank: -1)) }
    #expect(list.elements.map(\.id) == [9, 0, 1, 2] && total.value == 4)
    #expect(other.elements.count == 4 && other.lastChange == nil)
    #expect(list.version == store.version)
  }

  @Test func `changes of others that are refreshed before an edit are reported by themselves`() throws {
    let store = try store(3)
    let list = LiveResults(store, Item.sorted(by: \.rank), initial: .synchronous)
    _ = list.elements
    try store.writeElsewhere { tx in try tx.delete(Item.self, 0) }
    list.refresh()
    #expect(list.lastChange?.deletions == [0])
    try list.edit { tx in try tx.update(Item.self, 2) { $0.rank = -1 } }
    #expect(list.lastChange == nil)
    #expect(list.elements.map(\.id) == [2, 1])
  }

  @Test func `a paused model keeps what it shows, and reports an edit on resuming`() async throws {
    let store = try store(1)
    let list = LiveResults(store, Item.all, initial: .synchronous)
    let object = LiveObject(store, Item.self, 0)
    #expect(list.elements.count == 1)
    list.pause()
    try object.update { $0.name = "edited" }
    #expect(object.name == "edited")
    #expect(list.elements[0].name == "item 0")
    list.resume()
    try await store.settled()
    #expect(list.elements[0].name == "edited")
    #expect(list.lastChange?.modifications.map(\.id) == [0])
  }

  /// Bug: the edit was reported as a change by others.
  @Test func `an edit after a pause in which nothing happened is the model's own`() async throws {
    let store = try store(2)
    let list = LiveResults(store, Item.where { $0.rank < 5 }.limit(1), initial: .synchronous)
    list.pause()
    list.resume()
    try list.edit { tx in try tx.update(Item.self, 0) { $0.name = "edited" } }
    #expect(list.elements[0].name == "edited" && list.lastChange == nil)
    // A pause in which only the rows beside the window changed.
    list.pause()
    try store.writeElsewhere { tx in try tx.insert(Item(9)) }
    list.resume()
    try list.edit { tx in try tx.update(Item.self, 0) { $0.name = "edited again" } }
    #expect(list.elements[0].name == "edited again" && list.lastChange == nil)
    #expect(list.totalCount == 3)
  }

  @Test func `a reader invalidated by an edit may write while it is notified`() async throws {
    let store = try store(1)
    let list = LiveResults(store, Item.all, initial: .synchronous)
    let log = Recorder<Int>()
    withObservationTracking {
      _ = list.elements.count
    } onChange: {
      // Notified after the write: a write from here is not nested in the edit.
      do {
        try store.write { tx in try tx.insert(Item(50)) }
        log.append(50)
      } catch { log.append(-1) }
    }
    try list.edit { tx in try tx.insert(Item(40)) }
    #expect(log.events == [50])
    try await store.settled()
    #expect(list.elements.map(\.id) == [0, 40, 50])
  }

  /// Bug: what a reader did to the model while it was notified was lost: the list showed the older results again.
  ///
  /// Cause: the older value was set after the newer one, which was published in between.
  /// Mend: what is done meanwhile waits until all readers were notified.
  @Test func `a reader may edit through the model, and read it again, while it is notified`() async throws {
    let store = try store(1)
    let list = LiveResults(store, Item.sorted(by: \.rank), initial: .synchronous)
    withObservationTracking {
      _ = list.elements.count
    } onChange: {
      MainActor.assumeIsolated {
        do {
          try list.edit { tx in try tx.insert(Item(50, rank: 50)) }
        } catch { Issue.record(error) }
      }
    }
    try list.edit { tx in try tx.insert(Item(40, rank: 40)) }
    #expect(list.elements.map(\.id) == [0, 40, 50])
    withObservationTracking {
      _ = list.elements.count
    } onChange: {
      MainActor.assumeIsolated { list.query = Item.where { $0.rank > 40 } }
    }
    try list.edit { tx in try tx.insert(Item(60, rank: 60)) }
    #expect(list.isLoading)
    try await store.settled()
    #expect(list.elements.map(\.id) == [50, 60] && !list.isLoading)
  }

  /// Bug: an edit, or another query, waited on the main actor for a model that was still loading.
  ///
  /// Cause: what waits to be taken was guarded by the mutex under which the query was evaluated.
  @Test(.timeLimit(.minutes(10))) func `nothing waits for a model that is still loading`() async throws {
    // The filter holds a thread.
    let pool = FixedPool(threads: 2)
    defer { pool.close() }
    let store = try store(3, pool.configuration)
    let (begun, gate) = (Recorder<Void>(), Signal())
    let slow = LiveResults(
      store,
      Item.filter { (_: Item) in
        begun.append(())
        gate.wait()
        gate.send()
        return true
      }, initial: .deferred)
    let object = LiveObject(store, Item.self, 1)
    #expect(slow.elements.isEmpty && object.rank == 1)
    await begun.reached(1)
    try object.update { $0.rank = 10 }
    slow.query = Item.where { $0.rank > 1 }.sorted(by: \.rank)
    #expect(slow.elements.isEmpty && slow.isLoading && object.rank == 10)
    gate.send()
    try await store.settled()
    #expect(slow.elements.map(\.id) == [2, 1] && !slow.isLoading)
  }
}
