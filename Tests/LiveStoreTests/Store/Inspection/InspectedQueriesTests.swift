import Dispatch
import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Inspected queries` {
  private let store: Store

  init() throws {
    store = try Store(Item.self, InspectedPaper.self, InspectedTopic.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<10).map { Item($0, rank: $0, group: $0 % 3) }) }
  }

  @Test func `equal queries are one, with their observers in order, and where each was made`() async throws {
    let query = Item.where { $0.rank >= 4 }.sorted(by: \.rank)
    let line = UInt(#line)
    let token = store.observe(query.limit(2)) { _ in }
    let events = store.changes(of: query.offset(1), excluding: ["b", "a"]).makeAsyncIterator()
    _ = events.nextIfReady()
    try await store.settled()
    let queries = store.inspection.queries
    try #require(queries.count == 1)
    #expect(queries[0].entity == "Item" && queries[0].results == 6 && queries[0].isRouted)
    #expect(queries[0].text == "\(query)")
    let observers = queries[0].observers
    try #require(observers.count == 2)
    #expect(observers.map(\.kind) == [.token, .stream])
    #expect(
      observers.map(\.location) == ([1, 2] as [UInt]).map { "InspectedQueriesTests.swift:\(line + $0)" })
    #expect(observers.map(\.limit) == [2, nil] && observers.map(\.offset) == [0, 1])
    #expect(observers.map(\.excludedOrigins) == [[], ["a", "b"]])
    #expect(observers.allSatisfy { $0.version == store.version && $0.lag == 0 && !$0.isPaused })
    let again = store.inspection.queries
    #expect(
      again[0].number == queries[0].number && again[0].observers.map(\.number) == observers.map(\.number))
    token.invalidate()
    withExtendedLifetime(events) {}
  }

  @Test func `a paused observer is shown as paused, with the versions that it is behind`() async throws {
    let token = store.observe(Item.all) { _ in }
    try await store.settled()
    token.pause()
    for _ in 0..<3 { try await store.write { tx in try tx.update(Item.self, 1) { $0.rank += 1 } } }
    try await store.settled()
    let paused = try #require(store.inspection.queries.first?.observers.first)
    #expect(paused.isPaused && paused.lag == 3 && paused.version == Version(1))
    token.resume()
    try await store.settled()
    let resumed = try #require(store.inspection.queries.first?.observers.first)
    #expect(!resumed.isPaused && resumed.lag == 0 && resumed.version == Version(4))
    token.invalidate()
  }

  @Test func `all that can be observed is shown with its text, its rows and its plan`() async throws {
    let items = Item.where { $0.rank >= 4 }
    let tokens = [
      store.observe(items) { _ in }, store.observe(items.count) { _ in },
      store.observe(items.sum(\.rank)) { _ in },
      store.observe(Item.all.grouped(by: \.group).max(\.rank)) { _ in },
      store.observe(Item.sorted(by: \.rank).sectioned(by: \.group)) { _ in },
      store.observe(Item.self, 3) { _ in }, store.observe(Item.all) { _ in },
    ]
    let several = store.changes(of: Item.where { $0.rank == 1 }, Item.where { $0.rank == 2 })
      .makeAsyncIterator()
    _ = several.nextIfReady()
    try await store.settled()
    let queries = store.inspection.queries
    let texts = queries.map { "\($0.text): \($0.results)" }
    #expect(
      Set(texts) == [
        "\(items): 6", "\(items).sum(\\.rank): 1", "\(Item.all.grouped(by: \.group).max(\.rank)): 3",
        "\(Item.sorted(by: \.rank).sectioned(by: \.group)): 10", "Item.where { id == 3 }: 1", "Item: 10",
        "Item.where { rank == 1 }: 1", "Item.where { rank == 2 }: 1",
      ])
    let snapshot = store.snapshot()
    func plan(_ text: String) throws -> String? {
      store.plan(ofQuery: try #require(queries.first { $0.text == text }).number)
    }
    #expect(try plan("\(items)") == items.explain(in: snapshot))
    #expect(try plan("\(items).sum(\\.rank)") == items.sum(\.rank).explain(in: snapshot))
    #expect(
      try plan("Item.grouped(by: \\.group).max(\\.rank)")
        == Item.all.grouped(by: \.group).max(\.rank).explain(in: snapshot))
    #expect(
      queries.filter { $0.text.hasPrefix("Item.where { rank ==") }.allSatisfy { $0.observers.count == 1 })
    for token in tokens { token.invalidate() }
    withExtendedLifetime(several) {}
  }

  @Test func `a plan is asked for by number, and there is none for a query that is not observed`()
    async throws
  {
    var events: LiveChanges.Iterator? = store.changes(of: Item.where { $0.rank == 4 }).makeAsyncIterator()
    _ = events?.nextIfReady()
    let number = try #require(store.inspection.queries.first?.number)
    #expect(store.plan(ofQuery: number) == "index Item.rank: 1 of 10 rows, filter rank == 4")
    events = nil
    #expect(store.plan(ofQuery: number) == nil && store.plan(ofQuery: -1) == nil)
    #expect(store.inspection.queries.isEmpty)
  }

  @Test func `rows that were tested and rows of the result that changed are counted`() throws {
    let routed = store.changes(of: Item.where { $0.rank >= 4 }).makeAsyncIterator()
    let closure = store.changes(of: Item.filter { $0.rank >= 4 }).makeAsyncIterator()
    (_, _) = (routed.nextIfReady(), closure.nextIfReady())
    for id in 0..<10 {
      try store.write { tx in try tx.update(Item.self, id) { $0.score = 1 } }
      (_, _) = (routed.nextIfReady(), closure.nextIfReady())
    }
    let queries = store.inspection.queries
    try #require(queries.count == 2)
    #expect(queries.map(\.isRouted) == [true, false])
    #expect(queries.map(\.rowsTested) == [6, 10])
    #expect(queries.map(\.rowsChanged) == [6, 6])
    #expect(queries.map(\.updates) == [6, 10] && queries.map(\.rebuilds) == [0, 0])
  }

  @Test func `observers of commits are shown with the version that they have reached`() async throws {
    var commits = store.commits(after: .zero).makeAsyncIterator()
    _ = try await commits.next()
    let token = store.observe(Item.all, mode: .everyCommit) { _ in }
    var differences = store.differences(since: store.snapshot()).makeAsyncIterator()
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank += 1 } }
    try await store.settled()
    _ = try await differences.next()
    let observers = store.inspection.commitObservers
    #expect(observers.map(\.kind) == [.stream, .token, .stream])
    #expect(observers.allSatisfy { $0.location?.hasPrefix("InspectedQueriesTests.swift:") == true })
    #expect(observers[0].version == .zero && observers[0].lag == 2)
    #expect(observers[1].version == store.version && observers[1].lag == 0)
    token.invalidate()
    withExtendedLifetime((commits, differences)) {}
  }

  @Test func `every function that makes an observer gives the place of its call`() async throws {
    let (item, owner) = (Item.all, Owner())
    let line = UInt(#line)
    let tokens = [
      store.observe(item) { _ in },
      store.observe(item.count) { _ in },
      store.observe(Item.self, 1) { _ in },
      store.observe(queue: DispatchQueue(label: "observer"), item) { _ in },
      await owner.observe(store),
    ]
    var values = store.values(of: item).makeAsyncIterator()
    let subscription = try store.subscribe(item)
    let object = store.changes(of: Item.self, 1).makeAsyncIterator()
    let since = try store.changes(of: item, since: .zero).makeAsyncIterator()
    let both = store.changes(of: item, item.count).makeAsyncIterator()
    let each = store.values(ofEach: [item, item.count]).makeAsyncIterator()
    _ = try await values.next()
    (_, _, _) = (object.nextIfReady(), since.nextIfReady(), both.nextIfReady())
    _ = try each.nextIfReady()
    try await store.settled()
    let observers = Dictionary(
      store.inspection.queries.flatMap(\.observers).map { ($0.number, $0.location) }, uniquingKeysWith: { $1 }
    )
    let expected = ([2, 3, 4, 5, 8, 9, 10, 11, 12, 13] as [UInt]).map {
      "InspectedQueriesTests.swift:\(line + $0)"
    }
    #expect(
      observers.values.compactMap(\.self).sorted() == (expected + [Owner.location]).sorted())
    for token in tokens { token.invalidate() }
    withExtendedLifetime((values, subscription, object, since, both, each)) {}
  }

  @Test func `all of many observers are listed, oldest first, however many a query has`() throws {
    let some = (0..<300).map { _ in store.changes(of: Item.all).makeAsyncIterator() }
    let others = (0..<100).map { number in
      store.changes(of: Item.where { $0.rank >= number }, excluding: ["a"]).makeAsyncIterator()
    }
    let commits = (0..<150).map { _ in store.commits(after: .zero).makeAsyncIterator() }
    for events in some + others { _ = events.nextIfReady() }
    let inspection = store.inspection
    #expect(inspection.queries.map(\.observers.count) == [300] + Array(repeating: 1, count: 100))
    #expect(inspection.queries.allSatisfy { $0.observers.allSatisfy { $0.version == store.version } })
    #expect(inspection.queries.dropFirst().allSatisfy { $0.observers[0].excludedOrigins == ["a"] })
    #expect(inspection.commitObservers.count == 150)
    for observers in inspection.queries.map(\.observers) + [inspection.commitObservers] {
      let numbers = observers.map(\.number)
      #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    }
    withExtendedLifetime((some, others, commits)) {}
  }
}

private actor Owner {
  static let line = UInt(#line) + 3
  static let location = "InspectedQueriesTests.swift:\(line)"

  func observe(_ store: Store) -> NotificationToken { store.observe(isolation: self, Item.all) { _ in } }
}
