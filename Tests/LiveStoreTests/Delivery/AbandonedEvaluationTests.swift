import LiveStore
import TestSupport
import Testing

/// Bug: an observer that was cancelled while its filter was evaluated came back when all rows were tested, after 18
/// seconds. Mend: an evaluation that nothing waits for ends after some rows more.
@Suite(.timeLimit(.minutes(10))) struct `An evaluation that nothing waits for` {
  private static let rows = 20_000
  /// How many rows may be tested after nothing waits any more.
  private static let few = 4_000
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<Self.rows).map { Item($0) }) }
  }

  @Test func `it ends when the task of a sequence is cancelled`() async throws {
    let filter = HeldFilter()
    let query = Item.filter { (_: Item) in filter.test() }
    let consumer = Task { [store] in
      var events = 0
      for await _ in store.changes(of: query) { events += 1 }
      return events
    }
    try await filter.whileHeld { consumer.cancel() }
    #expect(await consumer.value == 0)
    #expect(filter.count < Self.few)
  }

  @Test func `it ends when a token is invalidated`() async throws {
    let filter = HeldFilter()
    let token = store.observe(Item.filter { (_: Item) in filter.test() }) { _ in Issue.record("called") }
    try await filter.whileHeld { token.invalidate() }
    try await store.settled()
    while store.metrics.observers > 0 { await Task.yield() }
    #expect(filter.count < Self.few)
  }

  @Test func `upkeep ends when the only observer is cancelled, and another observer gets it from the start`()
    async throws
  {
    let filter = HeldFilter(isHeld: false)
    let query = Item.filter { (item: Item) in filter.test() && item.rank >= 0 }
    let started = Gate()
    let consumer = Task { [store] in
      var events = 0
      for await _ in store.changes(of: query) {
        events += 1
        started.open()
      }
      return events
    }
    await started.wait()
    let before = filter.count
    filter.hold()
    try await store.write { tx in try tx.update(Item.all) { $0.rank += 1 } }
    try await filter.whileHeld { consumer.cancel() }
    #expect(await consumer.value == 1)
    while store.metrics.observers > 0 { await Task.yield() }
    #expect(filter.count - before < Self.few)
    var events = store.changes(of: query).makeAsyncIterator()
    guard case .initial(let items)? = await events.next() else { throw Mismatch("no initial event") }
    #expect(items.count == Self.rows)
  }

  @Test func `it goes on while another observer waits for it`() async throws {
    let filter = HeldFilter(isHeld: false)
    let query = Item.filter { (item: Item) in filter.test() && item.rank >= 0 }
    var events = store.changes(of: query).makeAsyncIterator()
    _ = await events.next()
    let started = Gate()
    let consumer = Task { [store] in for await _ in store.changes(of: query) { started.open() } }
    await started.wait()
    filter.hold()
    try await store.write { tx in try tx.update(Item.all) { $0.rank += 1 } }
    try await filter.whileHeld { consumer.cancel() }
    await consumer.value
    guard case .update(let items, _)? = await events.next() else { throw Mismatch("no update") }
    #expect(items.count == Self.rows)
    #expect(items.allSatisfy { $0.rank == 1 })
  }

  @Test(arguments: [DeliveryMode.latest, .everyCommit])
  func `the first evaluation and upkeep of a sequence end when its task is cancelled, in each mode`(
    mode: DeliveryMode
  ) async throws {
    for isUpkeep in [false, true] {
      let filter = HeldFilter(isHeld: !isUpkeep)
      let query = Item.filter { (item: Item) in filter.test() && item.rank >= 0 }
      let started = Gate()
      let consumer = Task { [store] in
        var events = 0
        for await _ in store.changes(of: query, mode: mode) {
          events += 1
          started.open()
        }
        return events
      }
      if isUpkeep {
        await started.wait()
        filter.hold()
        try await store.write { tx in try tx.update(Item.all) { $0.rank += 1 } }
      }
      let before = try await filter.whileHeld {
        consumer.cancel()
        return filter.count
      }
      #expect(await consumer.value == (isUpkeep ? 1 : 0))
      #expect(filter.count - before < Self.few)
    }
  }

  @Test func `an observer that comes while upkeep ends gets all of it`() async throws {
    let filter = HeldFilter(isHeld: false)
    let query = Item.filter { (item: Item) in filter.test() && item.rank >= 0 }
    let started = Gate()
    let consumer = Task { [store] in for await _ in store.changes(of: query) { started.open() } }
    await started.wait()
    filter.hold()
    try await store.write { tx in try tx.update(Item.all) { $0.rank += 1 } }
    let next = try await filter.whileHeld { [store] in
      consumer.cancel()
      return Task { await store.changes(of: query).first { _ in true } }
    }
    await consumer.value
    guard case .initial(let items)? = await next.value else { throw Mismatch("no initial event") }
    #expect(items.count == Self.rows)
    #expect(items.allSatisfy { $0.rank == 1 })
  }
}
