import LiveStore
import TestSupport
import Testing

/// An entity that no store of these tests has.
private struct Absent: Entity {
  let id: Int
  static let schema = Schema<Absent> {}
}

/// What a follower keeps: the objects, and their places.
private struct Follower {
  var objects: [Int: (object: Item, place: UInt64)] = [:]

  /// Takes over a difference, and says what in it does not fit what was there.
  mutating func apply(_ changes: ObjectDifferences<Item>) throws {
    var lastPlace: UInt64 = 0
    for change in changes {
      let place = try #require(change.oldPlace ?? change.newPlace)
      try require(lastPlace < place, "\(change) is out of order")
      lastPlace = place
      let id = try #require(change.old?.id ?? change.new?.id)
      let known = objects[id]
      try require(
        change.old == known?.object && change.oldPlace == known?.place, "\(change), had \(known as Any)")
      objects[id] = nil
      guard let new = change.new, let place = change.newPlace else { continue }
      try require(new.id == id && (new != change.old || place != change.oldPlace), "\(change) is none")
      objects[id] = (new, place)
    }
  }

  var inOrder: [Item] { objects.values.sorted { $0.place < $1.place }.map(\.object) }
}

@Suite(.timeLimit(.minutes(10))) struct `Differences of versions` {
  private func store(_ ids: ClosedRange<Int> = 1...6) throws -> Store {
    let store = try Store(Item.self, Thing<WithIndexes>.self)
    try store.write { tx in try tx.insert(contentsOf: ids.map { Item($0, rank: $0) }) }
    return store
  }

  /// Bug: what was changed and changed back differed. Cause: tables were compared by their nodes.
  @Test func `a difference in which everything was changed back is empty`() throws {
    let store = try store()
    let before = store.snapshot()
    try store.write { tx in
      try tx.update(Item.self, 5) { $0.rank = 50 }
      try tx.insert(Item(7))
    }
    #expect(try !store.snapshot().difference(from: before).isEmpty)
    try store.write { tx in
      try tx.update(Item.self, 5) { $0.rank = 5 }
      try tx.delete(Item.self, 7)
    }
    let difference = try store.snapshot().difference(from: before)
    #expect(difference.isEmpty && difference.changes(of: Item.self).isEmpty)
    // Another place in insertion order is a difference.
    try store.write { tx in
      try tx.delete(Item.self, 5)
      try tx.insert(Item(5, rank: 5))
    }
    #expect(try !store.snapshot().difference(from: before).isEmpty)
  }

  @Test func `each object that differs comes with its old and its new value, in insertion order`() throws {
    let store = try store()
    let before = store.snapshot()
    try store.write { tx in
      try tx.update(Item.self, 5) { $0.rank = 50 }
      try tx.insert(Item(7))
    }
    try store.write { tx in
      try tx.update(Item.self, 2) { $0.rank = 20 }
      try tx.delete(Item.self, 1)
      try tx.insert(Item(8))
      try tx.delete(Item.self, 7)
    }
    let difference = try store.snapshot().difference(from: before)
    let changes = difference.changes(of: Item.self)
    #expect(changes.map { $0.old?.rank } == [1, 2, 5, nil])
    #expect(changes.map { $0.new?.rank } == [nil, 20, 50, 0])
    #expect(changes.map { $0.new?.id } == [nil, 2, 5, 8])
    #expect(difference.before.version == .number(1) && difference.after.version == .number(3))
    #expect(!difference.isEmpty)
    #expect(difference.entities.map { "\($0)" } == ["Item"])
    #expect(difference.changes(of: Thing<WithIndexes>.self).isEmpty)
    #expect(difference.changes(of: Absent.self).isEmpty)
    #expect("\(difference)" == "version 1 to version 3")
  }

  @Test func `an object deleted and inserted again is one that has another place`() throws {
    let store = try store(1...3)
    let before = store.snapshot()
    try store.write { tx in try tx.delete(Item.self, 1) }
    try store.write { tx in try tx.insert(Item(1, rank: 1)) }
    let changes = try store.snapshot().difference(from: before).changes(of: Item.self)
    #expect(changes.map(\.old) == [Item(1, rank: 1)] && changes.map(\.new) == [Item(1, rank: 1)])
    #expect(changes.map(\.oldPlace) == [1] && changes.map(\.newPlace) == [4])
  }

  @Test func `commits that undo each other leave no difference`() throws {
    let store = try store()
    let before = store.snapshot()
    try store.write { tx in try tx.update(Item.self, 2) { $0.rank = 20 } }
    try store.write { tx in try tx.update(Item.self, 2) { $0.rank = 2 } }
    let difference = try store.snapshot().difference(from: before)
    #expect(difference.changes(of: Item.self).isEmpty)
    let none = try before.difference(from: before)
    #expect(none.isEmpty && none.entities.isEmpty && none.changes(of: Item.self).isEmpty)
  }

  @Test func `a difference can be taken from a newer version back to an older one`() throws {
    let store = try store(1...2)
    let before = store.snapshot()
    try store.write { tx in
      try tx.insert(Item(3))
      try tx.delete(Item.self, 1)
    }
    let changes = try before.difference(from: store.snapshot()).changes(of: Item.self)
    #expect(Set(changes.map { $0.old?.id }) == [3, nil] && Set(changes.map { $0.new?.id }) == [1, nil])
  }

  @Test func `snapshots of different stores, and of a transaction that runs, have no difference`() throws {
    let store = try store()
    let snapshot = store.snapshot()
    let (other, copy) = (try self.store().snapshot(), Store(copying: snapshot).snapshot())
    let error = #expect(throws: StoreError.self) { try other.difference(from: snapshot) }
    #expect(error?.code == StoreError.differentStores)
    #expect(throws: StoreError.self) { try copy.difference(from: snapshot) }
    let running = try store.write { tx in
      try tx.delete(Item.self, 1)
      return tx.fetch(Item.all).snapshot
    }
    #expect(throws: StoreError.self) { try running.difference(from: snapshot) }
    #expect(throws: StoreError.self) { try snapshot.difference(from: running) }
  }

  @Test(arguments: Seeds.forSuite(20, thorough: 400))
  func `a follower that takes differences at random moments has what the store has, in its order`(
    seed: UInt64
  )
    throws
  {
    var random = SplitMix64(seed: seed)
    let store = try Store(Item.self)
    var (follower, seen) = (Follower(), store.snapshot())
    let ids = Array(1...(random.chance(1, in: 4) ? 400 : 12))
    for step in 1...60 {
      try store.write { tx in
        for _ in 0..<random.int(1...(random.chance(1, in: 5) ? 100 : 4)) {
          let id = random.pick(ids)
          switch random.int(0...9) {
          case 0...4: try tx.upsert(Item(id, rank: random.int(0...3)))
          case 5...7: try tx.delete(Item.self, id)
          case 8:
            try tx.delete(Item.self, id)
            try tx.insert(Item(id, rank: random.int(0...3)))
          default: if random.chance(1, in: 6) { try tx.deleteAll() }
          }
        }
      }
      if random.chance(1, in: 3) || step == 60 {
        let now = store.snapshot()
        try follower.apply(now.difference(from: seen).changes(of: Item.self))
        try require(follower.inOrder == Array(now.fetch(Item.all)), "seed \(seed), step \(step)")
        seen = now
      }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Following versions` {
  private let store: Store

  init() throws { store = try Store(Item.self) }

  private func insert(_ ids: ClosedRange<Int>) async throws {
    for id in ids { try await store.write { tx in try tx.insert(Item(id)) } }
  }

  private func ids(_ difference: StoreDifference?) -> [Int]? {
    difference?.changes(of: Item.self).compactMap { $0.new?.id }
  }

  @Test func `a follower gets what differs from what it has, at its own pace, and then waits`() async throws {
    try await insert(1...2)
    let start = store.snapshot()
    try await insert(3...5)
    var differences = store.differences(since: start).makeAsyncIterator()
    #expect(ids(try await differences.next()) == [3, 4, 5])
    try await insert(6...6)
    #expect(ids(try await differences.next()) == [6])
    let waiting = Task { [differences] in
      var differences = differences
      return try await differences.next()
    }
    try await insert(7...7)
    #expect(ids(try await waiting.value) == [7])
  }

  @Test func `a slow follower holds one version, whatever has been committed`() async throws {
    try await insert(1...1)
    var differences = store.differences(since: store.snapshot()).makeAsyncIterator()
    try await insert(2...2)
    var last = try await differences.next()
    #expect(last?.after.version == .number(2))
    last = nil
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let other = try Store(Item.self, configuration: configuration)
    var others = other.differences(since: other.snapshot()).makeAsyncIterator()
    for id in 1...300 { try await other.write { tx in try tx.insert(Item(id)) } }
    try await other.settled()
    // The one that the follower has, and the newest, once the background has freed what it has routed.
    #expect(await isReached { other.metrics.versionsPinned <= 2 })
    #expect(try await others.next()?.changes(of: Item.self).count == 300)
  }

  @Test func `when the store is closed, what was committed before comes as the last difference`() async throws
  {
    var differences = store.differences(since: store.snapshot()).makeAsyncIterator()
    try await insert(1...3)
    store.close()
    #expect(ids(try await differences.next()) == [1, 2, 3])
    #expect(try await differences.next() == nil)
    #expect(try await differences.next() == nil)
  }

  @Test func `a store that was closed before has no differences to follow`() async throws {
    let start = store.snapshot()
    store.close()
    var differences = store.differences(since: start).makeAsyncIterator()
    await #expect(throws: StoreError.self) { try await differences.next() }
  }

  @Test func `a version of another store cannot be followed`() async throws {
    let other = try Store(Item.self).snapshot()
    var differences = store.differences(since: other).makeAsyncIterator()
    let error = await #expect(throws: StoreError.self) { try await differences.next() }
    #expect(error?.code == StoreError.differentStores)
    #expect(try await differences.next() == nil)
  }

  @Test func `a follower that is cancelled ends`() async throws {
    let task = Task { [store] in
      for try await _ in store.differences(since: store.snapshot()) {}
    }
    task.cancel()
    try await task.value
    #expect(store.metrics.observers == 0)
  }
}
