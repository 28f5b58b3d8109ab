import LiveStore
import TestSupport
import Testing

/// Observers of every commit that leave out those of an origin: "ui" in all of these.
@Suite struct ExcludingEveryCommitTests {
  private func store() async throws -> Store {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: [Item(1), Item(2), Item(3)]) }
    return store
  }

  /// Bug: the commits of excluded origins were events like others.
  ///
  /// Cause: `excluding:` was not passed on to observers of every commit.
  /// Mend: such a commit is taken into the observer's baseline, as for merged events.
  @Test(arguments: [false, true])
  func `an observer of every commit gets one event each but for excluded ones, which are in previous`(
    asToken: Bool
  ) async throws {
    let store = try await store()
    let events = Recorder<CollectionChange<Item>>()
    let query = Item.sorted(by: \.rank)
    let token = store.observe(query, initial: .skip, excluding: ["ui"], mode: .everyCommit) {
      events.append($0)
    }
    var iterator = store.changes(of: query, initial: .skip, excluding: ["ui"], mode: .everyCommit)
      .makeAsyncIterator()
    for (number, origin) in ["ui", nil, "ui", "ui", "sync", "ui"].enumerated() {
      try await store.write(origin: origin) { tx in try tx.insert(Item(10 + number, rank: number)) }
    }
    try await store.settled()
    var changes = events.events.compactMap(\.changes)
    if !asToken { changes = [await iterator.next(), await iterator.next()].compactMap { $0?.changes } }
    #expect(changes.map { $0.previous.map(\.id) } == [[1, 2, 3, 10], [1, 2, 3, 10, 11, 12, 13]])
    #expect(changes.map { $0.insertions.map { $0 } } == [[4], [7]])
    #expect(changes.map(\.current.version.number) == [3, 6])
    token.invalidate()
  }

  @Test
  func `a change of others beside the observed properties stays pending, with the excluded edit in it`()
    async throws
  {
    let store = try await store()
    let events = Recorder<CollectionChange<Item>>()
    let token = store.observe(
      Item.all, initial: .skip, properties: [\.rank], excluding: ["ui"], mode: .everyCommit
    ) { events.append($0) }
    try await store.write { tx in try tx.update(Item.self, 1) { $0.name = "not observed" } }
    try await store.write(origin: "ui") { tx in
      try tx.update(Item.self, 1) { $0.rank = 7 }
      try tx.update(Item.self, 2) { $0.rank = 7 }
    }
    try await store.settled()
    #expect(events.events.isEmpty)
    try await store.write { tx in try tx.update(Item.self, 3) { $0.rank = 8 } }
    try await store.settled()
    let changes = try #require(events.events.first?.changes)
    #expect(events.events.count == 1)
    // Item 1 had an unreported change of others, so the excluded edit is delivered with it; item 2 had none.
    #expect(changes.previous.map(\.rank) == [0, 7, 0])
    #expect(changes.modifications.map(\.id) == [1, 3])
    token.invalidate()
  }

  @Test func `counts, sections and lists leave out excluded commits one by one`() async throws {
    let store = try await store()
    let (counts, sections) = (Recorder<Int>(), Recorder<[Int]>())
    let one = store.observe(Item.all.count, initial: .skip, excluding: ["ui"], mode: .everyCommit) {
      if case .change(let old, let new) = $0 { counts.append(old * 100 + new) }
    }
    let other = store.observe(
      Item.all.sectioned(by: \.group), initial: .skip, excluding: ["ui"], mode: .everyCommit
    ) {
      if let changes = $0.changes {
        sections.append(changes.previous.map(\.key) + changes.current.map(\.key))
      }
    }
    for (number, origin) in ["ui", nil, "ui", "sync"].enumerated() {
      try await store.write(origin: origin) { tx in try tx.insert(Item(10 + number, group: number)) }
    }
    try await store.settled()
    #expect(counts.events == [405, 607])
    #expect(sections.events == [[0, 0, 1], [0, 1, 2, 0, 1, 2, 3]])
    one.invalidate()
    other.invalidate()
  }
}
