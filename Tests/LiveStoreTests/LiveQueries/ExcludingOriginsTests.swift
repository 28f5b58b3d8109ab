import LiveStore
import Synchronization
import TestSupport
import Testing

/// Observers that leave out the commits of an origin: "ui" in all of these.
@Suite struct ExcludingOriginsTests {
  private let inbox = Inbox<CollectionChange<Item>>()

  private func observe(_ store: Store, _ query: Query<Item>) async throws -> NotificationToken {
    let token = store.observe(query, excluding: ["ui"]) { [inbox] in inbox.put($0) }
    try await store.settled()
    _ = inbox.drain()
    return token
  }

  private func resumed(_ token: NotificationToken, _ store: Store) async throws -> [ChangeSet<Item>] {
    token.resume()
    try await store.settled()
    return inbox.drain().compactMap(\.changes)
  }

  @Test func `an excluded commit is not delivered, and is in previous of the next event`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    let token = try await observe(store, Item.sorted(by: \.rank))
    try await store.write(origin: "ui") { tx in try tx.update(Item.self, 1) { $0.rank = 5 } }
    try await store.settled()
    #expect(inbox.drain().isEmpty)
    try await store.write(origin: "sync") { tx in try tx.update(Item.self, 2) { $0.name = "two" } }
    try await store.settled()
    let changes = try #require(inbox.drain().last?.changes)
    #expect(changes.previous.map(\.id) == [2, 1])
    #expect(changes.previous.last?.rank == 5)
    #expect(changes.modifications.map(\.id) == [2] && changes.moves.isEmpty)
    token.invalidate()
  }

  @Test
  func
    `a row with an unreported change of others stays, and is delivered later with the excluded edit in it`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2), Item(3)]) }
    let token = try await observe(store, Item.all)
    token.pause()
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = "theirs" } }
    try await store.write(origin: "ui") { tx in
      try tx.update(Item.self, 1) { $0.rank = 7 }
      try tx.update(Item.self, 2) { $0.rank = 7 }
      try tx.delete(Item.self, 3)
    }
    let changes = try await resumed(token, store)
    #expect(changes.count == 1)
    #expect(changes.first?.previous.map(\.rank) == [0, 7])
    #expect(changes.first?.modifications.map(\.id) == [1])
    #expect(changes.first?.modifications.first?.new == Item(1, name: "theirs", rank: 7))
    #expect(changes.first?.deletions == [])
    token.invalidate()
  }

  /// Bug: the excluded edit was delivered.
  ///
  /// Cause: the place of a row counted as its value, so the row had an unreported change.
  @Test
  func `an excluded edit of a row that others deleted and inserted again is not delivered, their move is`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    for query in [Item.all, Item.where { $0.rank >= 0 }, Item.all.limit(5)] {
      let token = try await observe(store, query)
      let rows = Array(store.snapshot().fetch(query))
      let first = rows[0]
      token.pause()
      try await store.write { tx in
        try tx.delete(Item.self, first.id)
        try tx.insert(first)
      }
      try await store.write(origin: "ui") { tx in try tx.update(Item.self, first.id) { $0.rank += 7 } }
      let changes = try await resumed(token, store)
      #expect(changes.count == 1)
      #expect(changes.first?.previous.map(\.rank) == [first.rank + 7, rows[1].rank])
      #expect(changes.first?.modifications.isEmpty == true)
      #expect(changes.first?.moves.count == 1)
      token.invalidate()
    }
  }

  @Test func `an excluded edit of a row that others inserted again where it was is an event for no observer`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    let token = try await observe(store, Item.all)
    token.pause()
    try await store.write { tx in
      try tx.delete(Item.self, 2)
      try tx.insert(Item(2))
    }
    try await store.write(origin: "ui") { tx in try tx.update(Item.self, 2) { $0.rank = 7 } }
    #expect(try await resumed(token, store).isEmpty)
    token.invalidate()
  }

  /// Bug: the insertion was never delivered.
  ///
  /// Cause: an excluded deletion and insertion under one id were taken for two rows, and the inserted one
  /// for new to every observer.
  @Test func `an insertion of others is delivered although an excluded commit deletes and inserts it again`()
    async throws
  {
    let store = try Store(Item.self)
    let token = try await observe(store, Item.all)
    token.pause()
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    try await store.write(origin: "ui") { tx in
      try tx.delete(Item.self, 1)
      try tx.insert(Item(1))
    }
    let changes = try await resumed(token, store)
    #expect(changes.first?.insertions == [0, 1])
    #expect(changes.first?.previous.isEmpty == true)
    token.invalidate()
  }

  /// The mirror: the row is in the baseline, others have deleted it, and an excluded commit brings it back.
  @Test func `a deletion of others that an excluded commit reverts leaves nothing to deliver`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2)]) }
    let token = try await observe(store, Item.sorted(by: \.group))
    token.pause()
    try await store.write { tx in try tx.delete(Item.self, 2) }
    try await store.write(origin: "ui") { tx in try tx.insert(Item(2)) }
    #expect(try await resumed(token, store).isEmpty)
    token.invalidate()
  }

  /// Bug: the excluded insertion was delivered.
  ///
  /// Cause: the baseline was compared as a table, in which the row had an unreported change, and not as
  /// the result, which it was never in.
  @Test func `an excluded edit of a row that was never in the result is not delivered`() async throws {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2), Item(3, rank: 1)]) }
    let token = try await observe(store, Item.where { $0.rank > 0 })
    token.pause()
    try await store.write { tx in
      try tx.update(Item.self, 1) { $0.name = "outside the result" }
      try tx.delete(Item.self, 2)
      try tx.update(Item.self, 3) { $0.name = "to be received" }
    }
    try await store.write(origin: "ui") { tx in
      try tx.update(Item.self, 1) { $0.rank = 1 }
      try tx.insert(Item(2, rank: 1))
    }
    let changes = try await resumed(token, store)
    #expect(changes.first?.previous.map(\.id) == [1, 3, 2])
    #expect(changes.first?.insertions == [])
    #expect(changes.first?.modifications.map(\.id) == [3])
    token.invalidate()
  }

  /// The event is on its way to the actor, the excluded commit comes, and then the observer pauses.
  @Test func `an excluded commit between an event and the pause it meets is not delivered on resuming`()
    async throws
  {
    let (store, actor, received) = (try Store(Item.self), ManualActor(), Recorder<[Int]>())
    async let observing = actor.run { actor in
      store.observe(isolation: actor, Item.all, initial: .skip, excluding: ["ui"]) { change in
        if let changes = change.changes { received.append(changes.insertions.map { changes.current[$0].id }) }
      }
    }
    await actor.executor.run(1)
    let token = await observing
    try await store.write { tx in try tx.insert(Item(1)) }
    await actor.executor.arrival(2)
    try await store.write(origin: "ui") { tx in try tx.insert(Item(2)) }
    // Whoever asks has upkeep done.
    var other = store.changes(of: Item.all).makeAsyncIterator()
    #expect(await other.next()?.results?.count == 2)
    token.pause()
    await actor.executor.run(2)
    token.resume()
    await actor.executor.run(3)
    try await store.settled()
    #expect(received.events == [[1]])
  }

  /// Upkeep is held up by a filter that does not return, so commits wait for it, 64 at least: the writer of one
  /// commit too many brings the query up to date itself, and so waits for the filter.
  @Test func `commits that wait for upkeep are distinguished by origin, however many they are`() async throws
  {
    let store = try Store(Item.self)
    let (inside, leave, written) = (Signal(), Signal(), Recorder<Int>())
    let isFirst = Mutex(true)
    let query = Item.filter { (item: Item) in
      let mustWait = isFirst.withLock { isFirst in
        defer { if item.name == "slow" { isFirst = false } }
        return isFirst && item.name == "slow"
      }
      if mustWait {
        inside.send()
        leave.wait()
      }
      return true
    }
    let token = try await observe(store, query)
    let worker = Worker {
      try store.write { tx in try tx.insert(Item(0, name: "slow")) }
      inside.wait()
      for id in 1...600 {
        try store.write(origin: id % 2 == 0 ? "ui" : "sync") { tx in try tx.insert(Item(id)) }
        written.append(id)
      }
    }
    await written.reached(64)
    leave.send()
    try await worker.value()
    try await store.settled()
    let changes = inbox.drain().compactMap(\.changes)
    let received = changes.flatMap { change in change.insertions.map { change.current[$0].id } }
    #expect(received == [0] + stride(from: 1, to: 600, by: 2))
    #expect(changes.last?.current.count == 600 || changes.last?.current.count == 601)
    token.invalidate()
  }
}
