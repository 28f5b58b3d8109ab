import LiveStore
import TestSupport
import Testing

/// Sections that are there without rows.
@Suite struct IncludedSectionTests {
  private func store(_ groups: [Int]) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(
        contentsOf: groups.enumerated().map { Item($0.offset, rank: $0.offset, group: $0.element) })
    }
    return store
  }

  @Test func `included sections are in the order of the keys, with or without rows`() throws {
    let store = try store([5, 1, 5])
    let query = Item.sorted(by: \.rank).sectioned(by: \.group).including([7, 3, 1, 3, 0])
    let sections = store.snapshot().value(of: query)
    #expect(sections.map(\.key) == [0, 1, 3, 5, 7])
    #expect(sections.map { $0.map(\.id) } == [[], [1], [], [0, 2], []])
    #expect(sections.results.map(\.id) == [1, 0, 2])
    for (index, section) in sections.enumerated() {
      #expect(
        sections.firstIndex(key: section.key) == index && sections[key: section.key]?.count == section.count)
    }
    #expect(sections.firstIndex(key: 2) == nil && sections[key: 4] == nil)
    #expect(sections.position(at: 1) == SectionPosition(section: 3, row: 0))
    #expect(sections.index(of: SectionPosition(section: 3, row: 1)) == 2)
    #expect(sections[SectionPosition(section: 1, row: 0)].id == 1)
    #expect(query == Item.sorted(by: \.rank).sectioned(by: \.group).including([0, 1]).including([3, 7]))
    #expect(query != Item.sorted(by: \.rank).sectioned(by: \.group))
    #expect(query.description.hasSuffix(".sectioned(by: \\.group).including([0, 1, 3, 7])"))
  }

  @Test func `an empty store has the included sections alone`() throws {
    let sections = try store([]).snapshot().value(
      of: Item.all.sectioned(by: \.isDone).including([true, false]))
    #expect(sections.map(\.key) == [false, true] && sections.allSatisfy(\.isEmpty))
  }

  @Test func `sections by an optional key and by a closure may be included`() throws {
    let snapshot = try store([1, 2]).snapshot()
    let optional = snapshot.value(of: Item.all.sectioned(by: \.score).including([nil, 1.5]))
    #expect(optional.map(\.key) == [nil, 1.5] && optional.map(\.count) == [2, 0])
    let closure = snapshot.value(
      of: Item.all.sectioned { (item: Item) in item.group.isMultiple(of: 2) ? "even" : "odd" }
        .including(["odd", "even", "none"]))
    #expect(closure.map(\.key) == ["even", "none", "odd"] && closure.map(\.count) == [1, 0, 1])
  }

  /// The law of sections, applied to keys and ids.
  private func apply(_ changes: SectionedChangeSet<Item, Int>) -> [(key: Int, ids: [Int])] {
    var sections = changes.previous.map { (key: $0.key, ids: $0.map(\.id)) }
    for place in (changes.deletions + changes.moves.map(\.from)).sorted().reversed() {
      sections[place.section].ids.remove(at: place.row)
    }
    for section in changes.sectionDeletions.reversed() { sections.remove(at: section) }
    for section in changes.sectionInsertions {
      sections.insert((changes.current[section].key, []), at: section)
    }
    let arrivals =
      changes.insertions.map { ($0, changes.current[$0].id) } + changes.moves.map { ($0.to, $0.id) }
    for (place, id) in arrivals.sorted(by: { $0.0 < $1.0 }) {
      sections[place.section].ids.insert(id, at: place.row)
    }
    return sections
  }

  @Test(.timeLimit(.minutes(10)), arguments: Seeds.forSuite(3, thorough: 8))
  func `changes of included sections keep the law, and never delete or insert one`(seed: UInt64) async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try store((0..<6).map { $0 % 4 })
    let included = (0...7).filter { _ in random.chance(1, in: 2) }
    let query = Item.sorted(by: \.rank).sectioned(by: \.group).including(included)
    var events = store.changes(of: query).makeAsyncIterator()
    _ = await events.next()
    var held = store.snapshot().value(of: query).map { ($0.key, $0.map(\.id)) }
    for _ in 0..<120 {
      try await store.write { tx in
        for _ in 0...random.int(0...2) {
          let (id, group, rank) = (random.int(0...7), random.int(0...7), random.int(0...9))
          if random.chance(1, in: 3) {
            try tx.delete(Item.self, id)
          } else {
            try tx.upsert(Item(id, rank: rank, group: group))
          }
        }
      }
      let snapshot = store.snapshot()
      var keys = Set(included)
      let items = snapshot.fetch(Item.sorted(by: \.rank))
      for item in items { keys.insert(item.group) }
      let expected = keys.sorted().map { key in (key, items.filter { $0.group == key }.map(\.id)) }
      let fetched = snapshot.value(of: query)
      #expect(fetched.map(\.key) == expected.map(\.0) && fetched.map { $0.map(\.id) } == expected.map(\.1))
      if held.map(\.0) == expected.map(\.0) && held.map(\.1) == expected.map(\.1) { continue }
      let changes = try #require(await events.next()?.changes, "seed \(seed)")
      let applied = apply(changes)
      #expect(
        applied.map(\.key) == expected.map(\.0) && applied.map(\.ids) == expected.map(\.1),
        "seed \(seed): \(changes)")
      #expect(
        changes.sectionDeletions.allSatisfy { !included.contains(changes.previous[$0].key) }, "seed \(seed)")
      #expect(
        changes.sectionInsertions.allSatisfy { !included.contains(changes.current[$0].key) }, "seed \(seed)")
      #expect(changes.moves.allSatisfy { $0.id == changes.current[$0.to].id }, "seed \(seed)")
      held = expected
    }
  }
}
