import LiveStore
import LiveStoreCombine
import Testing

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

@Suite(.timeLimit(.minutes(5))) struct `Publishers of every kind` {
  /// Subscribes, writes once the first event is there, and gives the first two events.
  private func events<Output>(
    _ publisher: StorePublisher<Output>, _ store: Store,
    then body: (inout WriteTransaction) throws -> Void
  ) async throws -> [Output] {
    let probe = Probe<Output>(wanting: .max(1))
    publisher.subscribe(probe)
    await probe.inputs.reached(1)
    try await store.write(body)
    probe.request(.max(1))
    await probe.inputs.reached(2)
    return probe.inputs.events
  }

  @Test func `a publisher of one object outlives the object`() async throws {
    let store = try await makeStore(0..<2)
    let changed = try await events(store.publisher(for: Item.self, 1), store) { tx in
      try tx.update(Item.self, 1) { $0.name = "one" }
    }
    #expect(changed.map { $0.object?.name } == ["", "one"])
    #expect(changed[1][\.name]?.old == "")
    let deletion = try await events(store.publisher(for: Item.self, 1), store) { tx in
      try tx.delete(Item.self, 1)
    }
    guard case .deleted(let last) = deletion[1] else { throw Unexpected(deletion[1]) }
    #expect(last.name == "one")
  }

  @Test func `publishers give a count and a sum`() async throws {
    let store = try await makeStore(0..<4)
    let counts = try await events(store.publisher(for: Item.where { $0.rank > 1 }.count), store) { tx in
      try tx.delete(Item.self, 3)
    }
    #expect(counts.map(\.value) == [2, 1])
    let sums = try await events(store.publisher(for: Item.all.sum(\.rank)), store) { tx in
      try tx.update(Item.self, 0) { $0.rank = 10 }
    }
    #expect(sums.map(\.value) == [3, 13])
  }

  @Test func `publishers give groups and sections`() async throws {
    let store = try await makeStore(0..<3)
    let groups = try await events(store.publisher(for: Item.all.grouped(by: \.name).count), store) { tx in
      try tx.update(Item.self, 0) { $0.name = "a" }
    }
    #expect(groups.map { $0.results?.map(\.value) } == [[3], [2, 1]])
    let sections = try await events(
      store.publisher(for: Item.sorted(by: \.rank).sectioned(by: \.name)), store
    ) { tx in
      try tx.update(Item.self, 1) { $0.name = "a" }
    }
    #expect(sections.map { $0.sections?.count } == [2, 2])
    #expect(sections[1].changes?.isEmpty == false)
  }

  @Test func `a publisher gives one object's list`() async throws {
    let store = try await makeStore(0..<3)
    try await store.write { tx in try tx.insert(Album(id: 1, items: [Ref(2), Ref(0)])) }
    let lists = try await events(store.publisher(for: Item.linked(from: \Album.items, of: 1)), store) { tx in
      try tx.update(Album.self, 1) { $0.items.append(Ref(1)) }
    }
    #expect(lists.map { $0.results?.map(\.id) } == [[2, 0], [2, 0, 1]])
    #expect(lists[1].changes?.insertions == [2])
  }

  @Test func `a publisher gives several sources at one version`() async throws {
    let store = try await makeStore(0..<2)
    let changes = try await events(
      store.publisher(for: Item.all, Item.all.count, Item.all.max(\.rank)), store
    ) { tx in try tx.insert(Item(2, rank: 7)) }
    guard case .initial(let values) = changes[0], case .update(let update) = changes[1] else {
      throw Unexpected(changes.count)
    }
    #expect(values.0.count == 2 && values.1 == 2 && values.2 == 1)
    #expect(update.0.changes?.insertions == [2])
    #expect(update.1.value == 3)
    #expect(update.2.value == 7)
  }

  @Test func `a publisher of values skips those without demand`() async throws {
    let store = try await makeStore(0..<2)
    let probe = Probe<Results<Item>>(wanting: .max(1))
    store.valuePublisher(for: Item.all).subscribe(probe)
    await probe.inputs.reached(1)
    try await insert(2..<5, in: store)
    probe.request(.max(1))
    await probe.inputs.reached(2)
    #expect(probe.inputs.events.map(\.count) == [2, 5])
  }

  @Test func `a publisher gives commits one by one, from a version on`() async throws {
    let store = try await makeStore(0..<2)
    let version = store.version
    let probe = Probe<Commit>(wanting: .max(1))
    store.commitPublisher(after: version).subscribe(probe)
    try await insert(2..<5, in: store)
    await probe.inputs.reached(1)
    probe.request(.max(2))
    await probe.inputs.reached(3)
    #expect(probe.inputs.events.map { $0.changes(of: Item.self).map { $0.new?.id } } == [[2], [3], [4]])
    let all = Probe<Commit>(wanting: .max(5))
    store.commitPublisher(after: .zero).subscribe(all)
    await all.inputs.reached(5)
    #expect(all.inputs.events.map(\.version.number) == [1, 2, 3, 4, 5])
  }

  @Test func `a publisher that skips the first event starts from the version at subscribing`() async throws {
    let store = try await makeStore(0..<2)
    let publisher = store.publisher(for: Item.all, initial: .skip)
    try await insert(2..<3, in: store)
    let probe = Probe<CollectionChange<Item>>()
    publisher.subscribe(probe)
    try await insert(3..<4, in: store)
    probe.request(.max(1))
    await probe.inputs.reached(1)
    #expect(probe.inputs.events[0].changes?.previous.map(\.id) == [0, 1, 2])
    #expect(probe.inputs.events[0].changes?.insertions == [3])
  }

  @Test func `a publisher may be limited to some properties and exclude origins`() async throws {
    let store = try await makeStore(0..<2)
    let probe = Probe<CollectionChange<Item>>(wanting: .max(1))
    store.publisher(for: Item.all, properties: [\.rank], excluding: ["own"]).subscribe(probe)
    await probe.inputs.reached(1)
    probe.request(.max(1))
    try await store.write { tx in try tx.update(Item.self, 0) { $0.name = "not delivered" } }
    try await store.write(origin: "own") { tx in try tx.update(Item.self, 1) { $0.rank = 5 } }
    try await store.write { tx in try tx.insert(Item(2)) }
    await probe.inputs.reached(2)
    #expect(probe.inputs.events[1].changes?.insertions == [2])
    #expect(probe.inputs.events[1].changes?.modifications.isEmpty == true)
  }

  @Test func `a publisher of every commit gives each commit that concerns its query`() async throws {
    let store = try await makeStore()
    let probe = Probe<CollectionChange<Item>>(wanting: .max(1))
    store.publisher(for: Item.where { $0.rank > 1 }, mode: .everyCommit).subscribe(probe)
    await probe.inputs.reached(1)
    try await insert(0..<4, in: store)
    probe.request(.max(2))
    await probe.inputs.reached(3)
    #expect(probe.inputs.events.map { $0.results?.count } == [0, 1, 2])
  }
}
