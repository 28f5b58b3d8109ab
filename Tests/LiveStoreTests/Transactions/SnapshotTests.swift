import LiveStore
import Synchronization
import TestSupport
import Testing

/// Something that reports when it is freed.
private final class Witness: Sendable {}

private struct Holder: Entity {
  let id: Int
  var witness: Witness
  var number = 0
  static let schema = Schema<Holder> {
    \.number
    Ignored(\.witness)
  }
}

@Suite struct `Snapshots` {
  private let store: Store

  init() throws { store = try Store(Item.self, Holder.self) }

  private func fill() async throws {
    try await store.write { tx in
      try tx.insert(contentsOf: (0..<200).map { Item($0, name: "n", rank: $0 % 10) })
    }
  }

  @Test func `every version stays as it was, whatever is written after it`() async throws {
    let queries = [
      Item.all, Item.where { $0.rank >= 5 }, Item.sorted(by: \.rank, .descending),
      Item.where { $0.group == 1 },
    ]
    try await fill()
    var history: [(snapshot: Snapshot, rows: [[Item]])] = []
    for step in 0..<Environment.size(36, thorough: 60) {
      let snapshot = store.snapshot()
      history.append((snapshot, queries.map { Array(snapshot.fetch($0)) }))
      try await store.write { tx in
        switch step % 6 {
        case 0: try tx.insert(contentsOf: (0..<30).map { Item(1_000_000 + 1000 * step + $0, rank: $0) })
        case 1: try tx.update(Item.where { $0.rank == 3 }) { $0.group = step }
        case 2: try tx.delete(Item.where { $0.rank == step % 10 })
        case 3: try tx.upsert(Item(5, name: "\(step)", rank: step))
        case 4: try tx.update(Item.all) { $0.group = 1 }
        default: if step == 29 { try tx.deleteAll() } else { try tx.insert(Item(-step)) }
        }
      }
      for (snapshot, rows) in history {
        for (query, expected) in zip(queries, rows) {
          #expect(snapshot.fetch(query).elementsEqual(expected), "step \(step), version \(snapshot.version)")
        }
      }
    }
  }

  @Test func `one object is read at the snapshot's version`() async throws {
    try await fill()
    let before = store.snapshot()
    try await store.write { tx in
      try tx.update(Item.self, 7) { $0.name = "new" }
      try tx.delete(Item.self, 8)
      try tx.insert(Item(777))
    }
    let after = store.snapshot()
    #expect(before[Item.self, 7]?.name == "n" && after[Item.self, 7]?.name == "new")
    #expect(before[Item.self, 8] != nil && after[Item.self, 8] == nil)
    #expect(before[Item.self, 777] == nil && after[Item.self, 777] != nil)
    #expect(before.version < after.version)
  }

  @Test func `results outlive the store and give their snapshot back`() async throws {
    var store: Store? = try Store(Item.self)
    try await store?.write { tx in try tx.insert(contentsOf: (0..<100).map { Item($0, rank: $0) }) }
    let results = try #require(store?.snapshot().fetch(Item.where { $0.rank >= 90 }))
    weak let released = store
    store = nil
    #expect(released == nil)
    #expect(results.map(\.id) == Array(90..<100))
    #expect(results.snapshot.count(Item.all) == 100)
    #expect(results.version == results.snapshot.version)
    #expect(results[id: 95]?.rank == 95 && results[id: 5] == nil)
    #expect(results.firstIndex(id: 95) == 5)
  }

  /// ```
  /// writer                         this test
  /// body begins, inserts
  ///                                takes a snapshot: it has nothing of the body
  /// body waits ...                 reads, takes another
  /// body returns, commit
  ///                                takes a snapshot: it has all of it
  /// ```
  @Test(.timeLimit(.minutes(10)))
  func `taking a snapshot does not wait for a writer inside its body and sees nothing of it`() async throws {
    try await withWatchdog("a snapshot while a writer is in its body") {
      try await fill()
      let inside = Signal()
      let release = Signal()
      let writer = Worker { [store] in
        try store.write { tx in
          try tx.deleteAll()
          inside.send()
          release.wait()
          try tx.insert(Item(1))
        }
      }
      await inside.arrival()
      let during = store.snapshot()
      #expect(during.version.number == 1 && during.count(Item.all) == 200)
      #expect(store.version.number == 1 && store.metrics.commits == 1)
      #expect(!writer.isFinished)
      release.send()
      try await writer.value()
      #expect(store.snapshot().version.number == 2 && store.snapshot().count(Item.all) == 1)
      #expect(during.count(Item.all) == 200)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `what write has written is in every later snapshot, on any thread`() async throws {
    for round in 1...200 {
      try await store.write { tx in try tx.upsert(Item(1, rank: round)) }
      let here = store.snapshot()
      let there = try await Worker { [store] in store.snapshot() }.value()
      let detached = await Task.detached { [store] in store.snapshot() }.value
      for snapshot in [here, there, detached] {
        #expect(snapshot.version.number == UInt64(round))
        #expect(snapshot[Item.self, 1]?.rank == round)
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `snapshots taken on many threads during writes are consistent versions`() async throws {
    try await store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: 100) }) }
    let isDone = Atomic(false)
    let readers = (0..<3).map { _ in
      Worker { [store] in
        var last: UInt64 = 0
        var failures = 0
        repeat {
          let snapshot = store.snapshot()
          let rows = snapshot.fetch(Item.all)
          if rows.reduce(0, { $0 + $1.rank }) != 1000 { failures += 1 }
          if rows.contains(where: { $0.name != rows[0].name }) { failures += 1 }
          if snapshot.version.number < last { failures += 1 }
          last = snapshot.version.number
        } while !isDone.load(ordering: .acquiring)
        return failures
      }
    }
    try await onOwnThreads { [store] in
      for step in 0..<500 {
        try await store.write { tx in
          try tx.update(Item.self, step % 10) { $0.rank -= step }
          try tx.update(Item.self, (step + 3) % 10) { $0.rank += step }
          try tx.update(Item.all) { $0.name = "\(step)" }
        }
      }
    }
    isDone.store(true, ordering: .releasing)
    for reader in readers { #expect(try await reader.value() == 0) }
  }

  @Test func `a version lives exactly as long as something holds it`() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let store = try Store(Holder.self, configuration: configuration)
    var witness: Witness? = Witness()
    weak let released = witness
    try await store.write { [witness] tx in try tx.insert(Holder(id: 1, witness: witness!)) }
    witness = nil
    var snapshot: Snapshot? = store.snapshot()
    try await store.write { tx in _ = try tx.delete(Holder.self, 1) }
    #expect(released != nil)
    #expect(snapshot?[Holder.self, 1] != nil)
    #expect(store.metrics.versionsPinned == 2)
    #expect(store.metrics.oldestPinned == .number(1))
    snapshot = nil
    #expect(store.metrics.versionsPinned == 1)
    #expect(store.metrics.oldestPinned == .number(2))
    #expect(released == nil)
  }

  @Test func `metrics report the oldest version that is held`() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let store = try Store(Item.self, configuration: configuration)
    var held: [Snapshot] = []
    for number in 0..<10 {
      held.append(store.snapshot())
      try await store.write { tx in try tx.insert(Item(number)) }
    }
    #expect(store.metrics.versionsPinned == 11)
    #expect(store.metrics.oldestPinned == .number(0))
    held.removeFirst(4)
    #expect(store.metrics.versionsPinned == 7)
    #expect(store.metrics.oldestPinned == .number(4))
    let results = held[0].fetch(Item.all)
    held.removeAll()
    #expect(store.metrics.versionsPinned == 2)
    #expect(results.count == 4)
  }

  @Test func `the history holds no more commits than it may`() async throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 5
    let store = try Store(Item.self, configuration: configuration)
    for number in 0..<50 { try await store.write { tx in try tx.insert(Item(number)) } }
    #expect(store.metrics.historyCommits == 5)
    #expect(store.metrics.versionsPinned <= 6)
    configuration.historyRows = 10
    configuration.historyCommits = 100
    let byRows = try Store(Item.self, configuration: configuration)
    for number in 0..<20 {
      try await byRows.write { tx in
        try tx.insert(contentsOf: (0..<4).map { Item(number * 4 + $0) })
      }
    }
    #expect(byRows.metrics.historyCommits == 2)
  }
}

@Suite struct `A store made from a snapshot` {
  @Test func `a store made from a snapshot starts with its content and has versions of its own`() async throws
  {
    let original = try Store(Item.self)
    try await original.write { tx in
      try tx.insert(contentsOf: (0..<100).map { Item($0, name: "n", rank: 100 - $0) })
    }
    try await original.write { tx in _ = try tx.delete(Item.where { $0.rank > 50 }) }
    let snapshot = original.snapshot()
    let copy = Store(copying: snapshot)
    let expected = Array(snapshot.fetch(Item.all))
    #expect(copy.snapshot().fetch(Item.all).elementsEqual(expected))
    #expect(copy.snapshot().fetch(Item.sorted(by: \.rank)).map(\.rank) == Array(1...50))
    try await copy.write { tx in
      try tx.update(Item.all) { $0.rank += 1000 }
      try tx.insert(Item(0))
    }
    try await original.write { tx in
      try tx.delete(Item.self, 99)
      try tx.insert(Item(500))
    }
    #expect(snapshot.fetch(Item.all).elementsEqual(expected))
    #expect(copy.snapshot()[Item.self, 99]?.rank == 1001 && copy.snapshot()[Item.self, 500] == nil)
    #expect(original.snapshot()[Item.self, 99] == nil && original.snapshot()[Item.self, 0] == nil)
    #expect(original.snapshot().fetch(Item.where { $0.rank > 1000 }).isEmpty)
    #expect(copy.snapshot().fetch(Item.where { $0.rank > 1000 }).count == 50)
  }

  @Test func `a store made from a snapshot is observed and closed apart from the original`() async throws {
    let original = try Store(Item.self)
    try await original.write { tx in try tx.insert(Item(1)) }
    let copy = Store(copying: original.snapshot())
    let recorder = Recorder<CollectionChange<Item>>()
    let token = copy.observe(Item.all) { recorder.append($0) }
    try await copy.settled()
    original.close()
    try await copy.write { tx in try tx.insert(Item(2)) }
    try await copy.settled()
    #expect(recorder.events.map { $0.results?.count } == [1, 2])
    token.invalidate()
  }

  @Test func `a store made from a snapshot keeps the unique properties and the entities of the original`()
    async throws
  {
    let original = try Store(Item.self)
    let copy = Store(copying: original.snapshot())
    struct Other: Entity {
      let id: Int
      static let schema = Schema<Other> {}
    }
    await #expect {
      try await copy.write { tx in try tx.insert(Other(id: 1)) }
    } throws: {
      StoreError.unknownEntity ~= $0
    }
  }
}
