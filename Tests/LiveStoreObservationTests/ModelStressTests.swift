import LiveStore
import LiveStoreObservation
import Synchronization
import TestSupport
import Testing

/// Models that are made, given other queries, edited through and released on many actors while writers run.
///
/// `LIVESTORE_STRESS_SECONDS` sets how long, `LIVESTORE_SEED` what they do.
@Suite struct ModelStressTests {
  /// An actor that has a model for a while, then another.
  private actor Screen {
    private let store: Store
    private var random: SplitMix64
    private var model: LiveModel<Results<Item>, CollectionChange<Item>>?
    private var query = Item.all
    private var isPaused = false
    private var breaches: [String] = []
    /// Items that no other actor writes.
    private let ownIDs: ClosedRange<Int>

    init(_ store: Store, _ seed: UInt64, number: Int) {
      self.store = store
      random = SplitMix64(seed: seed)
      ownIDs = 1_000 + number * 10...1_003 + number * 10
    }

    private func anyQuery() -> Query<Item> {
      let group = random.int(0...3)
      switch random.int(0...3) {
      case 0: return Item.all
      case 1: return Item.where { $0.group == group }.sorted(by: \.rank)
      case 2: return Item.where { $0.rank > group * 10 }.sorted(by: \.name).limit(7)
      default: return Item.sorted(by: \.rank, .descending).offset(2).limit(20)
      }
    }

    func step() async throws {
      switch random.int(0...11) {
      case 0:
        model = nil
        isPaused = false
      case 1, 2:
        query = anyQuery()
        if let model {
          model.follow(query)
        } else {
          model = LiveModel(
            store, query, initial: random.chance(1, in: 2) ? .synchronous : .deferred, isolation: self)
        }
      case 3:
        model?.pause()
        isPaused = true
      case 4:
        model?.resume()
        isPaused = false
      case 5:
        let id = random.int(0...60)
        try model?.edit { tx in try tx.upsert(Item(id, rank: id * 3 % 50, group: id % 4)) }
      case 6, 7:
        let item = Item(random.int(ownIDs), rank: random.int(0...50))
        if random.chance(1, in: 2) {
          try store.writeHere { tx in try tx.upsert(item) }
        } else {
          try await store.write { tx in try tx.upsert(item) }
        }
        checkOwn(item)
      default: model?.refresh()
      }
      check()
    }

    /// What the actor wrote is shown.
    private func checkOwn(_ item: Item) {
      guard let model, !isPaused, query == Item.all, !model.isLoading, let value = model.value else { return }
      if value[id: item.id] != item { breaches.append("\(item) was written and is not shown") }
    }

    /// What is shown is what some version held, and the last change leads to it.
    private func check() {
      guard let model, let value = model.value else { return }
      if !model.isLoading, Array(value) != Array(value.snapshot.fetch(query)) {
        breaches.append("\(query) shows what version \(value.version) does not hold")
      }
      if let change = model.lastChange?.changes {
        if change.current.version != value.version { breaches.append("\(change) does not lead to \(value)") }
        if change.isEmpty { breaches.append("\(change) is empty") }
      }
    }

    func finish() -> [String] {
      model?.resume()
      // Others may still be writing: what is shown is no older than what was there before.
      let newest = store.snapshot()
      model?.refresh()
      check()
      if let value = model?.value, value.version < newest.version,
        Array(value) != Array(newest.fetch(query))
      {
        breaches.append("\(query) is behind at the end")
      }
      model = nil
      return breaches
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `models of many actors show what the store held, and leave nothing behind`() async throws {
    let store = try Store(Item.self)
    let seed = Seeds.forSuite(1)[0]
    let end = ContinuousClock.now.advanced(by: .seconds(Environment.stressSeconds * 0.3))
    try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<2 {
        group.addTask {
          var random = SplitMix64(seed: seed &+ UInt64(number))
          repeat {
            let (id, rank) = (random.int(0...60), random.int(0...50))
            try await store.write(origin: number == 0 ? "import" : nil) { tx in
              if random.chance(1, in: 4) {
                try tx.delete(Item.self, id)
              } else {
                try tx.upsert(Item(id, name: "\(rank)", rank: rank, group: id % 4))
              }
            }
            await Task.yield()
          } while ContinuousClock.now < end
          return []
        }
      }
      for number in 0..<2 {
        group.addTask {
          var random = SplitMix64(seed: seed &+ 50 &+ UInt64(number))
          repeat {
            let (id, rank) = (random.int(0...60), random.int(0...50))
            do {
              // Its body comes back on any thread, also on one on which an edit has begun.
              try await store.transaction { tx in
                let item = tx[Item.self, id]
                await Task.yield()
                try tx.upsert(Item(id, name: item?.name ?? "", rank: rank, group: id % 4))
              }
            } catch StoreError.conflict {
              // Others came first, each time.
            }
          } while ContinuousClock.now < end
          return []
        }
      }
      for number in 0..<6 {
        group.addTask {
          let screen = Screen(store, seed &+ 100 &+ UInt64(number), number: number)
          // However slow the machine, each has models a few times.
          var steps = 0
          repeat {
            try await screen.step()
            await Task.yield()
            steps += 1
          } while steps < 24 || ContinuousClock.now < end
          return await screen.finish()
        }
      }
      for try await breaches in group { #expect(breaches.isEmpty, "seed \(seed): \(breaches.prefix(3))") }
    }
    // The observation of a model ends when it next looks; releasing the last model does not wait for it.
    let isLeft = await isReached { store.metrics.observers == 0 && store.metrics.liveQueries == 0 }
    #expect(isLeft, "seed \(seed)")
  }
}

extension Store {
  /// In asynchronous code, the blocking form.
  fileprivate func writeHere(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout WriteTransaction) throws -> Void
  ) throws {
    try write(body)
  }
}
