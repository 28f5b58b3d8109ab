#if DEBUG
  import LiveStore
  import LiveStoreObservation
  import TestSupport
  import Testing

  /// Models and undo stacks are freed with all they hold, each test in a process of its own, whose counts are exact.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct `Freed memory of models` {
    @Test func `random histories of models on many actors leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        let left = await whatIsLeft {
          try await ModelStressTests()
            .`models of many actors show what the store held, and leave nothing behind`()
        }
        #expect(left == nil)
      }
    }

    @Test func `random histories of undo stacks leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        let left = await whatIsLeft {
          await `Undo oracle`().`store, stack, reports and live queries are the model's`()
        }
        #expect(left == nil)
      }
    }

    @Test func `models leave nothing in memory, read, edited, paused, loading or never read`() async {
      await #expect(processExitsWith: .success) {
        for seed in Seeds.forSuite(1, thorough: 4) {
          #expect(await whatIsLeft { try await Models.live(seed) } == nil, "seed \(seed)")
        }
      }
    }

    @Test func `models of a store that was closed or released before them leave nothing in memory`() async {
      await #expect(processExitsWith: .success) {
        #expect(await whatIsLeft { try await Models.outlive(closing: true) } == nil)
        #expect(await whatIsLeft { try await Models.outlive(closing: false) } == nil)
      }
    }
  }

  @MainActor private enum Models {
    static func store() throws -> Store {
      let store = try Store(Item.self)
      try fill(store)
      return store
    }

    private nonisolated static func fill(_ store: Store) throws {
      try store.write { tx in
        try tx.insert(contentsOf: (0..<300).map { Item($0, rank: $0 % 9, group: $0 % 4) })
      }
    }

    private nonisolated static func touch(_ store: Store, _ id: Int) throws {
      try store.write(origin: "import") { tx in
        try tx.upsert(Item(id, rank: id % 11, group: id % 5))
        try tx.delete(Item.self, id + 1)
      }
    }

    static func live(_ seed: UInt64) async throws {
      var random = SplitMix64(seed: seed)
      let store = try store()
      let stack = UndoStack(store)
      for _ in 0..<40 {
        let initial: InitialValue = random.chance(1, in: 2) ? .synchronous : .deferred
        let results = LiveResults(store, Item.where { $0.group == 1 }.sorted(by: \.rank), initial: initial)
        let object = LiveObject(store, Item.self, random.int(0...299), initial: initial)
        let group = LiveSources(store, Item.all, Item.all.count, initial: initial)
        let sections = LiveSections(store, Item.all.sectioned(by: \.group), initial: initial)
        let value = LiveValue(store, Item.all.grouped(by: \.rank).count, initial: initial)
        for _ in 0..<random.int(0...8) {
          switch random.int(0...9) {
          case 0: _ = results.elements.count
          case 1: _ = (object.object, group.values)
          case 2: _ = (sections.sections.count, value.value)
          case 3: results.query = Item.where { $0.rank > 3 }.limit(20)
          case 4: results.pause()
          case 5: _ = try? object.update { $0.rank += 1 }
          case 6: try await stack.undo()
          case 7: await Task.yield()
          default: try touch(store, random.int(0...299))
          }
        }
      }
      try await store.settled()
    }

    static func outlive(closing: Bool) async throws {
      var store: Store? = try store()
      guard let live = store else { return }
      let results = LiveResults(live, Item.sorted(by: \.rank))
      _ = results.elements.count
      try touch(live, 3)
      try await live.settled()
      if closing { live.close() }
      store = nil
      _ = results.elements.count
    }
  }
#endif
