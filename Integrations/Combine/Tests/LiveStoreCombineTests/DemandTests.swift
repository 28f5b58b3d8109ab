import LiveStore
import LiveStoreCombine
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

private typealias Items = Probe<CollectionChange<Item>>

@Suite(.timeLimit(.minutes(5))) struct `Demand` {
  @Test func `demand for one event gives one, and what happens without demand is merged into the next`()
    async throws
  {
    let store = try await makeStore(0..<2)
    let probe = Items()
    store.publisher(for: Item.all).subscribe(probe)
    try await insert(2..<3, in: store)
    probe.request(.max(1))
    await probe.inputs.reached(1)
    try await insert(3..<6, in: store)
    try await store.write { tx in try tx.update(Item.self, 0) { $0.name = "zero" } }
    try await store.write { tx in try tx.delete(Item.self, 5) }
    probe.request(.max(1))
    await probe.inputs.reached(2)
    try await insert(6..<7, in: store)
    probe.request(.max(1))
    await probe.inputs.reached(3)

    let events = probe.inputs.events
    #expect(events.count == 3)
    guard case .initial(let first) = events[0] else { throw Unexpected(events[0]) }
    #expect(first.map(\.id) == [0, 1, 2])
    #expect(events[1].changes?.previous.map(\.id) == [0, 1, 2])
    #expect(events[1].changes?.insertions == [3, 4])
    #expect(events[1].changes?.modifications.map(\.newIndex) == [0])
    #expect(events[2].changes?.previous.map(\.id) == [0, 1, 2, 3, 4])
    #expect(events[2].changes?.insertions == [5])
  }

  @Test func `demand of none asks for no event`() async throws {
    let store = try await makeStore()
    let (probe, clock) = (Items(), Items())
    store.publisher(for: Item.all).subscribe(probe)
    store.publisher(for: Item.all).subscribe(clock)
    for round in 0..<10 {
      probe.request(.none)
      // It asks later, so its event comes later than the other would.
      clock.request(.max(1))
      await clock.inputs.reached(round + 1)
      try await insert(round..<(round + 1), in: store)
    }
    probe.request(.max(1))
    await probe.inputs.reached(1)
    #expect(probe.inputs.events.map { $0.results?.count } == [10])
  }

  @Test func `demand adds up`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .max(1))
    store.publisher(for: Item.all, mode: .everyCommit).subscribe(probe)
    probe.request(.max(2))
    probe.request(.max(1))
    try await insert(0..<6, in: store)
    await probe.inputs.reached(4)
    probe.request(.max(1))
    await probe.inputs.reached(5)
    #expect(probe.inputs.events.map { $0.results?.count } == [0, 1, 2, 3, 4])
  }

  @Test func `demand that is returned from receiving is met`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .max(1)) { _, _ in .max(1) }
    store.publisher(for: Item.all).subscribe(probe)
    for id in 0..<5 {
      await probe.inputs.reached(id + 1)
      try await insert(id..<(id + 1), in: store)
    }
    await probe.inputs.reached(6)
    #expect(probe.inputs.events.map { $0.results?.count } == [0, 1, 2, 3, 4, 5])
  }

  @Test func `demand within receiving is met after it, and added to what receiving returns`() async throws {
    let store = try await makeStore()
    // Five of six events are wanted: 1, then two within the first and two by its return.
    let probe = Items(wanting: .max(1)) { probe, change in
      guard case .initial = change else { return .none }
      probe.request(.max(1))
      probe.request(.max(1))
      return .max(2)
    }
    store.publisher(for: Item.all, mode: .everyCommit).subscribe(probe)
    await probe.inputs.reached(1)
    try await insert(0..<5, in: store)
    await probe.inputs.reached(5)
    probe.request(.max(1))
    await probe.inputs.reached(6)
    #expect(probe.inputs.events.map { $0.results?.count } == [0, 1, 2, 3, 4, 5])
    #expect(probe.overlapCount == 0)
  }

  @Test func `demand without end gives everything that is committed, one event at a time`() async throws {
    let store = try await makeStore()
    let probe = Items(wanting: .unlimited)
    store.publisher(for: Item.sorted(by: \.rank, .descending)).subscribe(probe)
    await withTaskGroup { group in
      for part in 0..<4 {
        group.addTask { try? await insert((part * 50)..<(part * 50 + 50), in: store) }
      }
    }
    await probe.inputs.reached { $0.results?.count == 200 }
    probe.cancel()
    #expect(probe.overlapCount == 0)
    var rows: [Item] = []
    for change in probe.inputs.events {
      if let changes = change.changes {
        #expect(Array(changes.previous) == rows)
        rows = changes.applied(to: rows)
      }
      #expect(Array(try #require(change.results)) == rows || change.changes == nil)
      rows = Array(try #require(change.results))
    }
  }

  @Test func `two subscribers of one publisher have demands of their own`() async throws {
    let store = try await makeStore()
    let publisher = store.publisher(for: Item.all)
    let (quick, slow) = (Items(wanting: .unlimited), Items(wanting: .max(1)))
    publisher.subscribe(quick)
    publisher.subscribe(slow)
    await slow.inputs.reached(1)
    for id in 0..<3 {
      await quick.inputs.reached(id + 1)
      try await insert(id..<(id + 1), in: store)
    }
    await quick.inputs.reached(4)
    slow.request(.max(1))
    await slow.inputs.reached(2)
    #expect(quick.inputs.events.map { $0.results?.count } == [0, 1, 2, 3])
    #expect(slow.inputs.events.map { $0.results?.count } == [0, 3])
    #expect(slow.inputs.events.last?.changes?.insertions == [0, 1, 2])
    quick.cancel()
    try await insert(3..<4, in: store)
    slow.request(.max(1))
    await slow.inputs.reached(3)
    #expect(slow.inputs.events.last?.changes?.insertions == [3])
    #expect(quick.inputs.events.count == 4)
  }

  @Test(arguments: UInt64(1)...8)
  func `every event starts from the one before it, with demand and writes at random`(seed: UInt64)
    async throws
  {
    var random = Random(seed: seed)
    let store = try await makeStore(0..<5)
    let query = Item.where { $0.rank < 8 }.sorted(by: \.rank).sorted(by: \.name)
    let probe = Items()
    store.publisher(for: query).subscribe(probe)
    var wanted = 0
    var rows: [Item]?
    for _ in 0..<200 {
      let (id, rank) = (Int.random(in: 0..<12, using: &random), Int.random(in: 0..<12, using: &random))
      try await store.write { tx in
        if Int.random(in: 0..<3, using: &random) == 0 {
          try tx.delete(Item.self, id)
        } else {
          try tx.upsert(Item(id, name: "\(rank % 3)", rank: rank))
        }
      }
      guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
      let isChanged = rows != Array(store.snapshot().fetch(query))
      if !isChanged { continue }
      probe.request(.max(1))
      wanted += 1
      await probe.inputs.reached(wanted)
      let event = try #require(probe.inputs.events.last)
      if let rows {
        #expect(event.changes.map { Array($0.previous) } == rows, "seed \(seed)")
        #expect(event.changes?.applied(to: rows) == event.results.map(Array.init), "seed \(seed)")
      }
      rows = event.results.map(Array.init)
      #expect(rows == Array(store.snapshot().fetch(query)), "seed \(seed)")
    }
    #expect(probe.inputs.events.count == wanted, "seed \(seed)")
  }
}
