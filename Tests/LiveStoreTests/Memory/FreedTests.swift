#if DEBUG
  import Dispatch
  import LiveStore
  import Synchronization
  import TestSupport
  import Testing

  /// What was made is freed when it is released, each test in a process of its own, whose counts are exact.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct `Freed memory` {
    @Test func `random histories with observers of every kind leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        for seed in Seeds.forSuite(1, thorough: 2) {
          let left = await whatIsLeft {
            let history = History(seed: seed, length: Environment.size(8, thorough: 20))
            if let failure = await Rehearsal.failure(of: history) { throw Mismatch(failure.text) }
          }
          #expect(left == nil, "seed \(seed)")
        }
      }
    }

    @Test func `random histories of groups, sections and aggregates leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        for seed in Seeds.forSuite(1) {
          let left = await whatIsLeft {
            let history = History(seed: seed, length: Environment.size(4, thorough: 20))
            if let failure = await GroupRehearsal.failure(of: history) { throw Mismatch(failure.text) }
          }
          #expect(left == nil, "seed \(seed)")
        }
      }
    }

    @Test
    func `random graphs with queries over links, lists, stages and delete rules leave nothing in memory`()
      async
    {
      await #expect(processExitsWith: .success) {
        for seed in Seeds.forSuite(6, thorough: 20) {
          let left = await whatIsLeft {
            if let failure = Simulation.failure(of: SimulationTrace(seed: seed)) { throw Mismatch(failure) }
          }
          #expect(left == nil, "seed \(seed)")
        }
        let staged = await whatIsLeft {
          try await `Stages over links`().`observers of stages over links receive what differs`()
        }
        #expect(staged == nil)
        let graph = await whatIsLeft {
          await `Graph oracle`().`objects, backlinks, indexes and errors are the model's`()
        }
        #expect(graph == nil)
      }
    }

    @Test
    func `transactions that are refused, cancelled, left by an error or closed leave nothing in memory`()
      async
    {
      await #expect(processExitsWith: .success) {
        #expect(await whatIsLeft { try await Transactions.refuse() } == nil)
        #expect(await whatIsLeft { try await Transactions.cancel() } == nil)
        #expect(await whatIsLeft { try await Transactions.close() } == nil)
      }
    }

    @Test func `observers that end in every way, or are never pulled, leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        #expect(await whatIsLeft { try await Observers.endInEveryWay() } == nil)
        #expect(await whatIsLeft { try await Observers.neverPulled() } == nil)
      }
    }

    /// Large versions are freed by a queue when the main thread releases them.
    @Test func `a big table on the main thread leaves nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        #expect(await whatIsLeft { try await BigTable.live() } == nil)
      }
    }

  }

  @MainActor private enum BigTable {
    static func live() async throws {
      var configuration = Store.Configuration()
      configuration.historyCommits = 0
      let store = try Store(Item.self, configuration: configuration)
      let empty = (LiveCounts.of(.nodes), LiveCounts.of(.hashNodes))
      let rows = Environment.size(10_000, thorough: 50_000)
      try await store.write { tx in
        try tx.insert(contentsOf: (0..<rows).map { Item($0, name: "\($0)", rank: $0 % 1_000) })
      }
      let snapshot = store.snapshot()
      let full = LiveCounts.of(.nodes)
      try require(full > rows * 4 / 50, "\(full) nodes")
      try await store.write { tx in try tx.delete(Item.all) }
      try require(LiveCounts.of(.nodes) >= full, "a held snapshot keeps its nodes")
      try require(snapshot.count(Item.all) == rows, "a held snapshot keeps its rows")
      // The last reference is released here, on the main thread.
      _ = consume snapshot
      let isFreed = await isReached { (LiveCounts.of(.nodes), LiveCounts.of(.hashNodes)) == empty }
      try require(isFreed, "\(LiveCounts.all) of an empty table")
    }
  }

  private enum Transactions {
    struct Stop: Error {}

    static func store() async throws -> Store {
      let store = try Store(Item.self, Topic.self)
      try await store.write { tx in
        try tx.insert(contentsOf: (0..<500).map { Item($0, name: "\($0)", rank: $0 % 7) })
        for id in 0..<50 { try tx.insert(Topic(id: id, name: "\(id)")) }
      }
      return store
    }

    static func refuse() async throws {
      let store = try await store()
      let snapshot = store.snapshot()
      // Refused by others' commits between reading and committing, with queries and objects read.
      await #expect(throws: StoreError.self) {
        try await store.transaction(retries: 3) { tx in
          _ = tx.fetch(Item.where { $0.rank == 3 }.sorted(by: \.name))
          _ = tx[Item.self, 1]
          try tx.update(Item.self, 2) { $0.rank += 1 }
          try await store.write { other in try other.update(Item.self, 1) { $0.rank += 1 } }
        }
      }
      await #expect(throws: StoreError.self) {
        try await store.transaction { tx in try tx.update(Topic.self, 1) { $0.name = "2" } }
      }
      await #expect(throws: StoreError.self) {
        try await store.write { tx in _ = try tx.update(Topic.all) { $0.name = "same" } }
      }
      await #expect(throws: Stop.self) {
        try await store.transaction { tx in
          try tx.delete(Item.all)
          throw Stop()
        }
      }
      await #expect(throws: Stop.self) {
        try await store.write { tx in
          try? tx.savepoint { tx in
            try tx.delete(Item.all)
            throw Stop()
          }
          try tx.deleteAll()
          throw Stop()
        }
      }
      try require(snapshot.count(Item.all) == 500, "the snapshot")
    }

    static func cancel() async throws {
      let store = try await store()
      let holder = Holder(store) { tx in try tx.delete(Item.where { $0.rank == 1 }) }
      await holder.hasTurn()
      let waiting = (0..<20).map { id in
        Task { try await store.write { tx in _ = try tx.delete(Item.self, id) } }
      }
      let reading = Gate()
      let optimistic = (0..<10).map { id in
        Task {
          try await store.transaction { tx in
            _ = tx.fetch(Item.sorted(by: \.rank))
            try tx.delete(Item.self, id)
            await reading.wait()
          }
        }
      }
      for task in waiting + optimistic { task.cancel() }
      reading.open()
      for task in waiting + optimistic { _ = await task.result }
      holder.leave()
      try await holder.end()
    }

    static func close() async throws {
      let store = try await store()
      let token = store.observe(Item.sorted(by: \.rank)) { @Sendable _ in }
      let loop = Task { for await _ in store.changes(of: Item.where { $0.rank > 2 }) {} }
      var iterator = store.changes(of: Item.all.grouped(by: \.rank).count).makeAsyncIterator()
      _ = await iterator.next()
      let inside = Gate()
      let late = Task {
        try await store.transaction { tx in
          try tx.delete(Item.all)
          await inside.wait()
        }
      }
      try await store.settled()
      store.close()
      inside.open()
      await loop.value
      _ = await late.result
      await #expect(throws: StoreError.self) { try await store.write { tx in try tx.delete(Item.all) } }
      for await change in store.changes(of: Item.all) { _ = change }
      token.invalidate()
    }
  }

  private enum Observers {
    static func endInEveryWay() async throws {
      let store = try await Transactions.store()
      let query = Item.where { $0.rank > 2 }.sorted(by: \.name)
      let own = Mutex<NotificationToken?>(nil)
      let hasEnded = Gate()
      own.withLock {
        $0 = store.observe(query) { @Sendable _ in
          own.withLock { $0 }?.invalidate()
          hasEnded.open()
        }
      }
      let paused = store.observe(query, mode: .everyCommit) { @Sendable _ in }
      paused.pause()
      let queue = DispatchQueue(label: "handlers")
      let released = [
        store.observe(queue: queue, Item.all.sectioned(by: \.rank)) { _ in },
        store.observe(Item.self, 3) { @Sendable _ in },
        store.observe(Item.all.distinct(by: \.rank), excluding: ["x"]) { @Sendable _ in },
      ]
      let loops = [
        Task { for await _ in store.changes(of: query, mode: .everyCommit) {} },
        Task { do { for try await _ in store.values(of: query.count) {} } catch {} },
        Task { do { for try await _ in store.commits(after: store.version) {} } catch {} },
        Task { for await _ in store.changes(of: query, Item.all.count, Topic.all) {} },
      ]
      let (value, changes) = try store.subscribe(query)
      for number in 0..<40 {
        try await store.write(origin: number % 3 == 0 ? "x" : nil) { tx in
          try tx.update(Item.self, number) { $0.rank = ($0.rank + 1) % 7 }
        }
      }
      await hasEnded.wait()
      var iterator = changes.makeAsyncIterator()
      _ = await iterator.next()
      try require(!value.isEmpty, "the value subscribed with")
      for loop in loops { loop.cancel() }
      for loop in loops { await loop.value }
      withExtendedLifetime(released) {}
      own.withLock { $0 = nil }
    }

    static func neverPulled() async throws {
      let store = try await Transactions.store()
      let query = Item.sorted(by: \.rank)
      let iterators = (
        store.changes(of: query).makeAsyncIterator(), store.values(of: query).makeAsyncIterator(),
        store.commits(after: .zero).makeAsyncIterator(), store.changes(of: query).stream(),
        store.changes(of: query, mode: .everyCommit).makeAsyncIterator(),
        try store.subscribe(Item.all.grouped(by: \.rank).sum(\.id))
      )
      for number in 0..<20 {
        try await store.write { tx in try tx.update(Item.self, number) { $0.rank += 1 } }
      }
      withExtendedLifetime(iterators) {}
    }
  }
#endif
