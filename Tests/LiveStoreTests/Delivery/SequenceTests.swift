import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Sequences of changes` {
  private let store: Store

  init() async throws {
    store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<3).map { Item($0, rank: $0) }) }
  }

  private func insert(_ ids: Int...) async throws {
    for id in ids { try await store.write { tx in try tx.insert(Item(id, rank: id)) } }
  }

  @Test func `a sequence of changes gives the results first, then one change for everything since`()
    async throws
  {
    var events = store.changes(of: Item.all).makeAsyncIterator()
    let first = await events.next()
    guard case .initial(let results) = first else {
      Issue.record("no initial event")
      return
    }
    #expect(results.map(\.id) == [0, 1, 2])
    try await insert(3, 4, 5)
    let change = try #require(await events.next()?.changes)
    #expect(change.insertions == [3, 4, 5])
    #expect(change.previous.version.number == 1 && change.current.version.number == 4)
  }

  @Test func `what is ready of a sequence of changes is taken without waiting, each change once`()
    async throws
  {
    let events = store.changes(of: Item.where { $0.rank >= 2 }).makeAsyncIterator()
    #expect(events.nextIfReady()?.results?.map(\.id) == [2])
    #expect(events.nextIfReady() == nil)
    try await insert(3, -4)
    try await insert(5)
    #expect(events.nextIfReady()?.changes?.insertions == [1, 2])
    try await insert(-6)
    #expect(events.nextIfReady() == nil)
    store.close()
    #expect(events.nextIfReady() == nil && store.metrics.observers == 0)
  }

  @Test func `of every commit that is ready, each is taken by itself`() async throws {
    let events = store.changes(of: Item.where { $0.rank >= 2 }, mode: .everyCommit).makeAsyncIterator()
    try await insert(3, -4, 5)
    let versions = (0..<4).map { _ in events.nextIfReady()?.results?.version.number }
    #expect(versions == [1, 2, 4, nil])
  }

  @Test func `an error is the last change that is ready`() async throws {
    try await store.write { tx in try tx.insert(Item(9, name: CostlyPattern.text)) }
    let events = store.changes(of: Item.failing).makeAsyncIterator()
    guard case .error? = events.nextIfReady() else {
      Issue.record("no error")
      return
    }
    #expect(events.nextIfReady() == nil && store.metrics.observers == 0)
  }

  @Test func `a sequence of changes waits until a commit concerns its query`() async throws {
    let store = store
    let recorder = Recorder<CollectionChange<Item>>()
    let task = Task {
      for await change in store.changes(of: Item.where { $0.rank >= 10 }) { recorder.append(change) }
    }
    await recorder.reached(1)
    try await insert(3, 4, 5)
    try await insert(20)
    await recorder.reached(2)
    #expect(recorder.events.map { $0.results?.map(\.id) } == [[], [20]])
    task.cancel()
    await task.value
  }

  @Test func `a sequence that skips the first event starts with what changed since`() async throws {
    var events = store.changes(of: Item.all, initial: .skip).makeAsyncIterator()
    try await insert(3)
    let change = try #require(await events.next()?.changes)
    #expect(change.insertions == [3])
    #expect(change.previous.version.number == 1)
  }

  @Test func `each iterator of a sequence of changes is a subscription of its own`() async throws {
    let changes = store.changes(of: Item.all)
    #expect(store.metrics.observers == 0)
    var first: LiveChanges<CollectionChange<Item>>.Iterator? = changes.makeAsyncIterator()
    #expect(await first?.next()?.results?.count == 3)
    try await insert(3)
    var second: LiveChanges<CollectionChange<Item>>.Iterator? = changes.makeAsyncIterator()
    guard case .initial(let results) = await second?.next() else {
      Issue.record("no initial event")
      return
    }
    #expect(results.count == 4)
    try await insert(4)
    #expect(await first?.next()?.changes?.insertions == [3, 4])
    #expect(await second?.next()?.changes?.insertions == [4])
    #expect(store.metrics.observers == 2)
    #expect(store.metrics.liveQueries == 1)
    first = nil
    second = nil
    #expect(store.metrics.observers == 0)
  }

  @Test func `a sequence of changes ends when its task is cancelled, waiting or not`() async throws {
    let store = store
    let recorder = Recorder<CollectionChange<Item>>()
    let task = Task {
      for await change in store.changes(of: Item.all) { recorder.append(change) }
      return true
    }
    await recorder.reached(1)
    task.cancel()
    #expect(await task.value)
    #expect(store.metrics.observers == 0)
    let gate = Gate()
    let early = Task {
      await gate.wait()
      var count = 0
      for await _ in store.changes(of: Item.all) { count += 1 }
      return count
    }
    early.cancel()
    gate.open()
    #expect(await early.value <= 1)
    #expect(store.metrics.observers == 0)
  }

  @Test func `a sequence of values ends without an error when its task is cancelled`() async throws {
    let store = store
    let recorder = Recorder<Int>()
    let task = Task {
      for try await count in store.values(of: Item.all.count) { recorder.append(count) }
      return true
    }
    await recorder.reached(1)
    task.cancel()
    #expect(try await task.value)
    #expect(store.metrics.observers == 0)
  }

  @Test func `a sequence of values gives the newest value, and each value once`() async throws {
    var counts = store.values(of: Item.where { $0.rank >= 10 }.count).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await insert(3, 10, 11, 12)
    #expect(try await counts.next() == 3)
    try await insert(4)
    try await insert(13)
    #expect(try await counts.next() == 4)
    var results = store.values(of: Item.sorted(by: \.rank, .descending).limit(2)).makeAsyncIterator()
    #expect(try await results.next()?.map(\.id) == [13, 12])
    try await insert(5)
    try await insert(14)
    #expect(try await results.next()?.map(\.id) == [14, 13])
    var object = store.values(of: Item.object(77)).makeAsyncIterator()
    let none = try await object.next()
    #expect(none == .some(nil))
    try await insert(77)
    let some = try await object.next()
    #expect(some??.rank == 77)
  }

  @Test func `a sequence of changes of one object outlives the object's deletion`() async throws {
    var events = store.changes(of: Item.self, 1).makeAsyncIterator()
    guard case .initial(let item) = await events.next() else {
      Issue.record("no initial event")
      return
    }
    #expect(item?.rank == 1)
    try await store.write { tx in _ = try tx.delete(Item.self, 1) }
    guard case .deleted(let last) = await events.next() else {
      Issue.record("no deletion")
      return
    }
    #expect(last.rank == 1)
    try await store.write { tx in try tx.insert(Item(1, rank: 8)) }
    guard case .inserted(let new) = await events.next() else {
      Issue.record("no insertion")
      return
    }
    #expect(new.rank == 8)
    try await store.write { tx in _ = try tx.delete(Item.self, 1) }
    try await store.write { tx in try tx.insert(Item(1, name: "again", rank: 8)) }
    let change = await events.next()
    #expect(change?[\.name]?.old == "" && change?[\.name]?.new == "again")
    #expect(change?[\.rank] == nil)
  }

  @Test func `a plain stream has no buffer, merges events and ends with the store`() async throws {
    let stream: AsyncStream<CollectionChange<Item>> = store.changes(of: Item.all).stream()
    var events = stream.makeAsyncIterator()
    #expect(await events.next()?.results?.count == 3)
    try await insert(3, 4, 5)
    #expect(await events.next()?.changes?.insertions == [3, 4, 5])
    store.close()
    #expect(await events.next() == nil)
  }

  @Test func `a plain stream ends with its task`() async throws {
    let recorder = Recorder<CollectionChange<Item>>()
    let stream = store.changes(of: Item.all).stream()
    let task = Task {
      for await change in stream { recorder.append(change) }
    }
    await recorder.reached(1)
    task.cancel()
    await task.value
    #expect(store.metrics.observers == 0)
  }

  @Test func `a plain stream of values gives the newest value`() async throws {
    let stream: AsyncThrowingStream<Int, any Error> = store.values(of: Item.all.count).stream()
    var values = stream.makeAsyncIterator()
    #expect(try await values.next() == 3)
    try await insert(3, 4)
    #expect(try await values.next() == 5)
  }

  @Test func `changes of a subscription start from exactly its result`() async throws {
    let (results, changes) = try store.subscribe(Item.sorted(by: \.rank, .descending))
    #expect(results.map(\.id) == [2, 1, 0])
    try await insert(9)
    var events = changes.makeAsyncIterator()
    let change = try #require(await events.next()?.changes)
    #expect(change.previous.elementsEqual(results))
    #expect(change.previous.version == results.version)
    #expect(change.insertions == [0])
  }

  @Test func `changes of a subscription miss no commit beside busy writers`() async throws {
    let store = store
    let isDone = Atomic(false)
    let writer = Worker {
      var step = 0
      while !isDone.load(ordering: .acquiring) {
        step += 1
        try store.write { tx in try tx.upsert(Item(step % 30, rank: step)) }
      }
    }
    try await onOwnThreads {
      for _ in 0..<50 {
        let (results, changes) = try store.subscribe(Item.sorted(by: \.rank))
        let observer = CheckedObserver(startingFrom: results)
        var events = changes.makeAsyncIterator()
        for _ in 0..<3 {
          guard let event = await events.next() else { break }
          observer.receive(event)
        }
        #expect(observer.breaches == [])
        #expect(observer.eventCount == 3)
      }
    }
    isDone.store(true, ordering: .releasing)
    try await writer.value()
  }

  @Test func `a loop on the main actor reads its changes there`() async throws {
    try await readOnMain()
  }

  @MainActor private func readOnMain() async throws {
    var counts: [Int] = []
    for await change in store.changes(of: Item.all) {
      MainActor.assertIsolated()
      counts.append(change.results?.count ?? -1)
      if counts.count == 3 { break }
      try await store.write { tx in try tx.insert(Item(100 + counts.count)) }
    }
    #expect(counts == [3, 4, 5])
    #expect(store.metrics.observers == 0)
  }

  /// The loop asks again and again while there are only edits that it has not asked for.
  @Test func `a sequence of some properties starts from what it last gave, unlisted edits included`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(Item(1, name: "old")) }
    let begun = Gate()
    let task = Task {
      var changes = store.changes(of: Item.all, properties: [\.rank]).makeAsyncIterator()
      _ = await changes.next()
      begun.open()
      return await changes.next()?.changes
    }
    await begun.wait()
    for number in 1...20 {
      try await store.write { tx in try tx.update(Item.self, 1) { $0.name = "new \(number)" } }
      try await store.settled()
      for _ in 0..<5 { await Task.yield() }
    }
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 1 } }
    let changes = try #require(await task.value)
    #expect(changes.previous.first?.name == "old" && changes.modifications.first?.old.name == "old")
    #expect(changes.current.first?.name == "new 20" && changes.modifications.map(\.id) == [1])
  }
}
