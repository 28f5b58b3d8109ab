import LiveStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Groups and aggregates` {
  private func store(_ items: [Item]) throws -> Store {
    let store = try Store(Item.self)
    try store.writeNow { tx in try tx.insert(contentsOf: items) }
    return store
  }

  @Test func `groups are read by key and in the order of keys`() throws {
    let store = try store([
      Item(1, name: "b", rank: 3, score: nil), Item(2, name: "a", rank: 4, score: 1),
      Item(3, name: "b", rank: 5, score: 2),
    ])
    let snapshot = store.snapshot()
    let counts = snapshot.value(of: Item.all.grouped(by: \.name).count)
    #expect(counts.map(\.key) == ["a", "b"])
    #expect(counts[id: "b"]?.value == 2)
    #expect(counts.snapshot[Item.self, 1]?.name == "b", "the results lead to their snapshot")
    #expect(snapshot.value(of: Item.all.grouped(by: \.name).sum(\.rank)).map(\.value) == [4, 8])
    #expect(snapshot.value(of: Item.all.grouped(by: \.score).count).map(\.key) == [nil, 1, 2])
    #expect(snapshot.value(of: Item.all.grouped(by: \.name).min(\.score)).map(\.value) == [1, 2])
    #expect(snapshot.value(of: Item.all.grouped(by: \.name).average(\.rank)).map(\.value) == [4, 4])
    #expect(snapshot.value(of: Item.all.sum(\.rank)) == 12)
    #expect(snapshot.value(of: Item.all.average(\.score)) == 1.5)
    #expect(snapshot.value(of: Item.where { $0.rank > 9 }.max(\.rank)) == nil)
    #expect(snapshot.value(of: Item.where { $0.rank > 9 }.sum(\.score)) == 0)
    #expect(snapshot.value(of: Item.sorted(by: \.rank, .descending).limit(2).min(\.rank)) == 4)
  }

  @Test func `sums of integers beyond their type are the nearest value until they fit again`() throws {
    let store = try store([Item(1, rank: .max), Item(2, rank: .max), Item(3, rank: .min)])
    #expect(store.snapshot().value(of: Item.all.sum(\.rank)) == .max - 1)
    try store.writeNow { tx in try tx.delete(Item.self, 3) }
    #expect(store.snapshot().value(of: Item.all.sum(\.rank)) == .max)
    #expect(store.snapshot().value(of: Item.all.average(\.rank)) == 0x1p63)
  }

  @Test func `sums of doubles are exact, also where they overflow on the way`() async throws {
    let greatest = Double.greatestFiniteMagnitude
    let store = try store([Item(1, score: greatest), Item(2, score: greatest), Item(3, score: 1e-300)])
    let sum = store.values(of: Item.all.sum(\.score))
    var iterator = sum.makeAsyncIterator()
    #expect(try await iterator.next() == .infinity)
    #expect(store.snapshot().value(of: Item.where { $0.id < 3 }.average(\.score)) == greatest)
    try await store.write { tx in
      try tx.delete(Item.self, 1)
      try tx.delete(Item.self, 2)
    }
    #expect(try await iterator.next() == 1e-300)
  }

  @Test func `groups may have NaN and zero of either sign for keys`() throws {
    let store = try store([
      Item(1, score: .nan), Item(2, score: -.nan), Item(3, score: -0.0), Item(4, score: 0), Item(5),
    ])
    let groups = store.snapshot().value(of: Item.all.grouped(by: \.score).count)
    #expect(groups.map(\.value) == [1, 2, 2])
    #expect(groups[0].key == nil)
    #expect(groups[1].key?.isNaN == true)
    #expect(groups[id: 0]?.value == 2)
    #expect(store.snapshot().fetch(Item.distinct(by: \.score)).ids.elementsEqual([1, 3, 5]))
    let sections = store.snapshot().value(of: Item.all.sectioned(by: \.score))
    #expect(sections.map { $0.map(\.id) } == [[5], [1, 2], [3, 4]])
    #expect(sections.firstIndex(key: .some(.nan)) == 1)
  }

  @Test func `equal groups share one maintained result`() async throws {
    let store = try store([Item(1)])
    let groups = Item.where { $0.rank > 0 }.grouped(by: \.name)
    let same = Item.where { $0.rank > 0 }.sorted(by: \.name).grouped(by: \.name)
    #expect(groups.count == Item.where { $0.rank > 0 }.grouped(by: \.name).count)
    #expect(Set([groups.sum(\.rank), groups.sum(\.rank)]).count == 1)
    #expect(groups.sum(\.rank) != groups.sum(\.group))
    #expect(groups.sum(\.rank) != groups.max(\.rank))
    let letter = Item.all.sectioned { (item: Item) in item.name.prefix(1).uppercased() }
    let tokens = [
      store.observe(groups.count) { _ in }, store.observe(same.count) { _ in },
      store.observe(letter) { _ in }, store.observe(letter) { _ in },
      store.observe(Item.distinct(by: \.name)) { _ in },
      store.observe(Item.distinct(by: \.name).limit(3)) { _ in },
    ]
    try await store.settled()
    #expect(store.metrics.liveQueries == 3)
    let other = store.observe(groups.sum(\.rank)) { _ in }
    try await store.settled()
    #expect(store.metrics.liveQueries == 4)
    tokens.forEach { $0.invalidate() }
    other.invalidate()
  }

  @Test func `groups of different windows are maintained apart`() async throws {
    let store = try store((0..<10).map { Item($0, rank: $0, group: $0 % 2) })
    let first = Item.sorted(by: \.rank).limit(3).grouped(by: \.group).count
    let more = Item.sorted(by: \.rank).limit(7).grouped(by: \.group).count
    var one = store.values(of: first).makeAsyncIterator()
    var two = store.values(of: more).makeAsyncIterator()
    #expect(try await one.next()?.map(\.value) == [2, 1])
    #expect(try await two.next()?.map(\.value) == [4, 3])
    try await store.write { tx in try tx.update(Item.self, 7) { $0.rank = -1 } }
    #expect(try await one.next()?.map(\.value) == [1, 2])
    #expect(try await two.next()?.map(\.value) == [3, 4])
  }

  @Test func `groups follow a commit of most rows, which re-evaluates them`() async throws {
    let store = try store((0..<3_000).map { Item($0, rank: $0, group: $0 % 7, score: Double($0)) })
    let sums = Item.all.grouped(by: \.group).sum(\.score)
    let sections = Item.sorted(by: \.rank).sectioned(by: \.group)
    var groups = store.changes(of: sums).makeAsyncIterator()
    var parts = store.changes(of: sections).makeAsyncIterator()
    let before = await groups.next()?.results
    _ = await parts.next()
    try await store.write { tx in try tx.update(Item.all) { $0.group = $0.group == 6 ? 8 : $0.group } }
    try await store.write { tx in try tx.update(Item.all) { $0.score = 1 } }
    let change = await groups.next()?.changes
    #expect(change?.previous.map(\.value) == before?.map(\.value))
    #expect(change?.deletions == [6] && change?.insertions == [6])
    #expect(change?.modifications.map(\.newIndex) == [0, 1, 2, 3, 4, 5])
    #expect(change?.moves.isEmpty == true)
    #expect(change?.current.map(\.value) == [429, 429, 429, 429, 428, 428, 428])
    // Item 1 had the score already.
    let moved = await parts.next()?.changes
    #expect(moved?.sectionDeletions == [6] && moved?.sectionInsertions == [6])
    #expect(moved?.moves.count == 428 && moved?.modifications.count == 2_999)
    #expect(store.metrics.rebuilds > 0)
  }

  @Test func `groups, sections and aggregates are delivered together at one version`() async throws {
    let store = try store([Item(1, name: "a", rank: 1)])
    let changes = store.changes(
      of: Item.all.grouped(by: \.name).count, Item.all.sectioned(by: \.rank), Item.all.sum(\.rank))
    var iterator = changes.makeAsyncIterator()
    guard case .initial((let groups, let sections, let sum))? = await iterator.next() else {
      Issue.record("no .initial")
      return
    }
    #expect(groups.count == 1 && sections.count == 1 && sum == 1)
    try await store.write { tx in try tx.update(Item.self, 1) { $0.rank = 2 } }
    guard case .update((let counted, let moved, let added))? = await iterator.next() else {
      Issue.record("no .update")
      return
    }
    #expect(counted.changes?.isEmpty == true)
    #expect(moved.changes?.sectionDeletions == [0] && moved.changes?.sectionInsertions == [0])
    #expect(moved.changes?.moves.map(\.id) == [1])
    #expect(added.value == 2)
    #expect(counted.results?.version == moved.sections?.version)
  }

  @Test func `groups of an entity that the store does not have are empty and cannot be observed`()
    async throws
  {
    let store = try Store(Thing<WithIndexes>.self)
    let groups = Item.all.grouped(by: \.name).count
    #expect(store.snapshot().value(of: groups).isEmpty)
    #expect(store.snapshot().value(of: Item.all.sectioned(by: \.name)).isEmpty)
    #expect(store.snapshot().value(of: Item.all.sum(\.rank)) == 0)
    #expect(throws: StoreError.self) { try store.subscribe(groups) }
  }

  @Test func `groups print themselves and explain how their rows are found`() throws {
    let store = try store([Item(1, rank: 1)])
    let query = Item.where { $0.rank > 0 }.sorted(by: \.name)
    let groups = query.grouped(by: \.name).sum(\.rank)
    #expect("\(groups)" == "Item.where { rank > 0 }.sorted(by: name).grouped(by: \\.name).sum(\\.rank)")
    #expect(groups.explain(in: store.snapshot()).hasSuffix("sort by name, grouped by name.sum(\\.rank)"))
    #expect("\(query.max(\.rank))".hasSuffix(".max(\\.rank)"))
    #expect("\(query.sectioned(by: \.name))".hasSuffix(".sectioned(by: \\.name)"))
    #expect("\(query.sectioned { (item: Item) in item.rank })".hasSuffix(".sectioned(by: { closure })"))
    let distinct = query.distinct(by: \.group).limit(3)
    #expect("\(distinct)" == "Item.where { rank > 0 }.sorted(by: name).distinct(by: group).limit(3)")
    #expect(distinct.explain(in: store.snapshot()).hasSuffix("then.distinct(by: group).limit(3)"))
  }

  @Test func `groups in a transaction include what it has written so far`() async throws {
    let store = try store([Item(1, name: "a")])
    try await store.write { tx in
      let before = tx.value(of: Item.all.grouped(by: \.name).count)
      try tx.insert(Item(2, name: "b", rank: 5))
      #expect(before.count == 1)
      #expect(tx.value(of: Item.all.grouped(by: \.name).count).map(\.key) == ["a", "b"])
      #expect(tx.value(of: Item.all.max(\.rank)) == 5)
      #expect(tx.count(Item.distinct(by: \.name)) == 2)
    }
  }
}

extension Store {
  /// A write from a test that is not asynchronous.
  fileprivate func writeNow(_ body: (inout WriteTransaction) throws -> Void) throws { try write(body) }
}
