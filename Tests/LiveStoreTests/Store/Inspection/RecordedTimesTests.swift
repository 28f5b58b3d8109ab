import Foundation
import LiveStore
import Synchronization
import TestSupport
import Testing

private actor Reader {}

private struct Labelled: Entity {
  let id: Int
  var label: Label
  var count = 0
  static let schema = Schema<Labelled> {
    \.label
    \.count
  }

  static func insert(_ ids: Range<Int>, into store: Store) throws {
    try store.write { tx in for id in ids { try tx.insert(Labelled(id: id, label: Label(text: "\(id)"))) } }
  }

  static func update(_ id: Int, in store: Store) throws {
    try store.write { tx in try tx.update(Labelled.self, id) { $0.count += 1 } }
  }
}

/// A value whose hashing can be made to wait.
private struct Label: Hashable {
  static let onHash = Mutex<(@Sendable () -> Void)?>(nil)
  let text: String

  func hash(into hasher: inout Hasher) {
    Self.onHash.withLock { $0.take() }?()
    hasher.combine(text)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Recorded times` {
  private let clock = ManualClock()
  private let store: Store

  init() throws {
    store = try Store(Item.self, InspectedTopic.self, configuration: .timed(by: clock))
    try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0) }) }
  }

  private func write(_ id: Int, origin: String? = nil, body: Duration = .zero) throws {
    try store.write(origin: origin) { tx in
      try tx.update(Item.self, id) { $0.rank += 100 }
      clock.advance(by: body)
    }
  }

  @Test func `nothing is recorded before it is asked for, and what was recorded ends with the recording`()
    throws
  {
    let events = store.changes(of: Item.all).makeAsyncIterator()
    _ = events.nextIfReady()
    try write(1)
    _ = events.nextIfReady()
    #expect(!store.inspection.isRecording && store.inspection.commits.isEmpty)
    #expect(store.inspection.queries[0].upkeep == nil && store.inspection.queries[0].delivery == nil)
    let (first, second) = (store.recordTimings(), store.recordTimings())
    try write(2)
    _ = events.nextIfReady()
    first.invalidate()
    first.invalidate()
    #expect(store.inspection.isRecording && store.inspection.commits.count == 1)
    #expect(store.inspection.queries[0].delivery?.count == 1)
    second.invalidate()
    #expect(!store.inspection.isRecording && store.inspection.commits.isEmpty)
    #expect(store.inspection.queries[0].upkeep == nil && store.inspection.queries[0].lastEvent == nil)
  }

  @Test func `a recording ends when it is released`() throws {
    var recording: TimingRecording? = store.recordTimings()
    #expect(store.inspection.isRecording)
    withExtendedLifetime(recording) {}
    recording = nil
    #expect(!store.inspection.isRecording)
  }

  @Test func `a commit is listed with its origin, its rows by entity, and how long its body ran`() throws {
    let recording = store.recordTimings()
    try store.write(origin: "import") { tx in
      try tx.insert(Item(50))
      try tx.update(Item.self, 1) { $0.rank = 7 }
      try tx.insert(InspectedTopic(id: 1))
      clock.advance(by: .milliseconds(30))
    }
    try? store.write { tx in
      try tx.delete(Item.self, 1)
      throw CancellationError()
    }
    try store.write { tx in try tx.update(Item.self, 1) { $0.rank = 7 } }
    try write(2, body: .seconds(2))
    let commits = store.inspection.commits
    #expect(commits.map(\.version) == [Version(2), Version(3)])
    #expect(commits.map(\.origin) == ["import", nil])
    #expect(commits.map(\.rows) == [["Item": 2, "InspectedTopic": 1], ["Item": 1]])
    #expect(commits.map(\.body) == [.milliseconds(30), .seconds(2)])
    #expect(commits.map(\.commit) == [.zero, .zero])
    #expect(commits[1].date.timeIntervalSince(commits[0].date) == 2)
    recording.invalidate()
  }

  @Test func `the newest 256 commits are listed, oldest first, however many there were`() throws {
    let recording = store.recordTimings()
    for number in 0..<700 { try write(number % 10) }
    #expect(store.inspection.commits.map(\.version.number) == Array(446...701))
    recording.invalidate()
  }

  @Test func `an optimistic transaction is listed once, when it commits`() async throws {
    let recording = store.recordTimings()
    try await store.transaction(origin: "optimistic") { tx in
      try tx.update(Item.self, 1) { $0.rank += 1 }
      if store.version == Version(1) { try write(1) }
    }
    #expect(store.inspection.commits.map(\.origin) == [nil, "optimistic"])
    recording.invalidate()
  }

  @Test func `upkeep takes as long as the query's own filters`() throws {
    let events = store.changes(
      of: Item.filter { [clock] item in
        clock.advance(by: .milliseconds(item.id == 5 ? 100 : 1))
        return true
      }
    ).makeAsyncIterator()
    _ = events.nextIfReady()
    let recording = store.recordTimings()
    for id in 0..<10 {
      try write(id)
      _ = events.nextIfReady()
    }
    let upkeep = try #require(store.inspection.queries[0].upkeep)
    // A filter is called for a row's old value, and for its new one.
    #expect(upkeep.count == 10 && upkeep.longest >= .milliseconds(100))
    #expect(upkeep.p50 < .milliseconds(4) && upkeep.p50 >= .milliseconds(1))
    #expect(upkeep.p95 == upkeep.longest)
    recording.invalidate()
  }

  @Test
  func `a delivery to a stream takes from the first commit that concerns it until next() has the event`()
    throws
  {
    let events = store.changes(of: Item.where { $0.rank >= 5 }).makeAsyncIterator()
    _ = events.nextIfReady()
    let recording = store.recordTimings()
    try store.write { tx in try tx.update(Item.self, 1) { $0.name = "x" } }
    clock.advance(by: .seconds(50))
    #expect(events.nextIfReady() == nil)
    try write(7)
    clock.advance(by: .seconds(3))
    try write(8)
    clock.advance(by: .seconds(2))
    #expect(events.nextIfReady() != nil)
    let query = store.inspection.queries[0]
    let delivery = try #require(query.delivery)
    #expect(delivery.count == 1 && delivery.p50 == .seconds(5))
    #expect(delivery.p95 == .seconds(5) && delivery.longest == .seconds(5))
    #expect(query.lastEvent?.version == store.version && query.lastEvent?.modifications == 2)
    clock.advance(by: .seconds(9))
    try write(7)
    _ = events.nextIfReady()
    #expect(store.inspection.queries[0].delivery?.count == 2)
    #expect(store.inspection.queries[0].delivery?.longest == .seconds(5))
    recording.invalidate()
  }

  @Test func `a delivery takes from its first commit, also if 300 follow before upkeep has seen it`()
    async throws
  {
    let (isInside, isLetGo) = (Signal(), Signal())
    let isBlocking = Atomic(false)
    let events = store.changes(
      of: Item.filter { _ in
        if isBlocking.exchange(false, ordering: .relaxed) {
          isInside.send()
          isLetGo.wait()
        }
        return true
      }
    ).makeAsyncIterator()
    _ = events.nextIfReady()
    let recording = store.recordTimings()
    isBlocking.store(true, ordering: .relaxed)
    try write(1)
    await isInside.arrival()
    for number in 0..<300 {
      clock.advance(by: .seconds(1))
      try write(number % 10)
    }
    isLetGo.send()
    #expect(events.nextIfReady() != nil)
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 1 && delivery.longest == .seconds(300))
    recording.invalidate()
  }

  @Test func `a delivery takes from its first commit, also if 300 wait to be routed`() throws {
    let executor = SeededExecutor()
    var configuration = Store.Configuration.timed(by: clock)
    configuration.executor = executor
    let store = try Store(Item.self, configuration: configuration)
    let events = store.changes(of: Item.filter { _ in true }).makeAsyncIterator()
    _ = events.nextIfReady()
    let recording = store.recordTimings()
    try store.write { tx in try tx.insert(Item(0)) }
    #expect(events.nextIfReady() != nil)
    for number in 1...300 {
      try store.write { tx in try tx.insert(Item(number)) }
      clock.advance(by: .seconds(1))
    }
    #expect(events.nextIfReady() != nil)
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 2 && delivery.longest == .seconds(300))
    recording.invalidate()
    while executor.stepInOrder() {}
  }

  @Test func `a delivery takes from its first commit, also if 400 come while an earlier one is routed`()
    async throws
  {
    let store = try Store(Labelled.self, configuration: .timed(by: clock))
    try Labelled.insert(0..<2, into: store)
    let (isInside, isLetGo) = (Signal(), Signal())
    let events = store.changes(of: Labelled.where { $0.label == Label(text: "0") }).makeAsyncIterator()
    _ = events.nextIfReady()
    let recording = store.recordTimings()
    Label.onHash.withLock {
      $0 = {
        isInside.send()
        isLetGo.wait()
      }
    }
    try Labelled.update(1, in: store)
    await isInside.arrival()
    for _ in 0..<400 {
      clock.advance(by: .seconds(1))
      try Labelled.update(0, in: store)
    }
    isLetGo.send()
    #expect(events.nextIfReady() != nil)
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 1 && delivery.longest == .seconds(399))
    recording.invalidate()
  }

  @Test func `an event that a model's actor takes while it is found does not lengthen the next one`() throws {
    let onLook = Mutex<(@Sendable () -> Void)?>(nil)
    var configuration = Store.Configuration()
    configuration.now = { [clock] in
      onLook.withLock { $0 }?()
      return clock.now
    }
    let (store, reader) = (try Store(Item.self, configuration: configuration), Reader())
    let model = ModelSubscription(
      store, ModelSources(Item.all), on: reader, ObserverSite(.model, #fileID, #line)
    ) {}
    model.collect()
    _ = model.take()
    let recording = store.recordTimings()
    let takes = Atomic(0)
    onLook.withLock {
      $0 = { if case .update = model.take() { takes.add(1, ordering: .relaxed) } }
    }
    try store.write { tx in try tx.insert(Item(1)) }
    model.collect()
    onLook.withLock { $0 = nil }
    #expect(takes.load(ordering: .relaxed) == 1)
    clock.advance(by: .seconds(3_600))
    try store.write { tx in try tx.insert(Item(2)) }
    clock.advance(by: .seconds(1))
    model.collect()
    _ = model.take()
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 1 && delivery.longest == .seconds(1))
    model.stop()
    recording.invalidate()
  }

  @Test func `a delivery to a handler ends when the handler is called, and a pause is a part of it`()
    async throws
  {
    let token = store.observe(Item.where { $0.rank >= 5 }) { [clock] _ in clock.advance(by: .seconds(100)) }
    try await store.settled()
    let recording = store.recordTimings()
    token.pause()
    try write(7)
    clock.advance(by: .seconds(4))
    token.resume()
    try await store.settled()
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 1 && delivery.longest == .seconds(4))
    token.invalidate()
    recording.invalidate()
  }

  @Test func `changes that are no event for an observer are no delivery, and do not lengthen the next one`()
    throws
  {
    let first = store.changes(of: Item.sorted(by: \.rank).limit(2)).makeAsyncIterator()
    let ranks = store.changes(of: Item.sorted(by: \.rank), properties: [\.rank]).makeAsyncIterator()
    (_, _) = (first.nextIfReady(), ranks.nextIfReady())
    let recording = store.recordTimings()
    try store.write { tx in try tx.update(Item.self, 8) { $0.name = "x" } }
    #expect(first.nextIfReady() == nil && ranks.nextIfReady() == nil)
    clock.advance(by: .seconds(60))
    #expect(store.inspection.queries[0].delivery == nil)
    try write(0)
    clock.advance(by: .seconds(1))
    #expect(first.nextIfReady() != nil && ranks.nextIfReady() != nil)
    let delivery = try #require(store.inspection.queries[0].delivery)
    #expect(delivery.count == 2 && delivery.longest == .seconds(1))
    recording.invalidate()
  }

  @Test func `the last event is counted by kinds of changes`() throws {
    let events = store.changes(of: Item.where { $0.rank < 9 }.sorted(by: \.rank)).makeAsyncIterator()
    let count = store.changes(of: Item.all.count).makeAsyncIterator()
    (_, _) = (events.nextIfReady(), count.nextIfReady())
    let recording = store.recordTimings()
    try store.write { tx in
      for id in 0..<3 { try tx.delete(Item.self, id) }
      try tx.insert(Item(100, rank: 4))
      try tx.insert(Item(101, rank: 4))
      try tx.update(Item.self, 8) { $0.rank = 0 }
    }
    (_, _) = (events.nextIfReady(), count.nextIfReady())
    let inspection = store.inspection
    let (sorted, counted) = (inspection.queries[0].lastEvent, inspection.queries[1].lastEvent)
    #expect(
      sorted?.deletions == 3 && sorted?.insertions == 2 && sorted?.modifications == 1 && sorted?.moves == 1)
    #expect(sorted?.version == store.version)
    #expect(counted?.modifications == 1 && counted?.insertions == 0)
    recording.invalidate()
  }
}
