import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct `A model that is released while it loads` {
  @Test func `the evaluation that it waits for ends`() async throws {
    // The filter holds a thread.
    let pool = FixedPool(threads: 2)
    defer { pool.close() }
    let store = try Store(Item.self, configuration: pool.configuration)
    try await store.write { tx in try tx.insert(contentsOf: (0..<20_000).map { Item($0) }) }
    let filter = HeldFilter()
    var items: LiveResults<Item>? = LiveResults(
      store, Item.filter { (_: Item) in filter.test() }, initial: .deferred)
    #expect(items?.elements.isEmpty == true)
    await filter.isBegun.wait()
    items = nil
    filter.release()
    try await store.settled()
    while store.metrics.observers > 0 { await Task.yield() }
    #expect(filter.count < 4_000)
  }
}
