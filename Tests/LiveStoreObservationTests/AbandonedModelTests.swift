import LiveStore
import LiveStoreObservation
import Synchronization
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct `A model that is released while it loads` {
  @Test func `the evaluation that it waits for ends`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<20_000).map { Item($0) }) }
    let filter = HeldFilter()
    let model = Mutex<LiveResults<Item>?>(
      LiveResults(store, Item.filter { (_: Item) in filter.test() }, initial: .deferred))
    #expect(model.withLock { $0?.elements.isEmpty } == true)
    try await filter.whileHeld { model.withLock { $0 = nil } }
    try await store.settled()
    while store.metrics.observers > 0 { await Task.yield() }
    #expect(filter.count < 4_000)
  }
}
