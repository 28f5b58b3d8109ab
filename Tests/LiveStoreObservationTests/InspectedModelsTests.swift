import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct `Inspected models` {
  @Test func `a model is shown as one, with the place where it was made and the query that it has now`()
    async throws
  {
    let store = try Store(Item.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Item($0, rank: $0) }) }
    let line = UInt(#line)
    let results = LiveResults(store, Item.sorted(by: \.rank))
    let object = LiveObject(store, Item.self, 3)
    let count = LiveValue(store, Item.all.count)
    let sections = LiveSections(store, Item.sorted(by: \.rank).sectioned(by: \.group))
    let sources = LiveSources(store, Item.where { $0.rank == 1 }, Item.where { $0.rank == 2 })
    let draft = EditableCopy(of: Item(4), in: store)
    (_, _, _) = (results.elements, object.object, count.value)
    (_, _, _) = (sections.sections, sources.values, draft.conflicts)
    try await store.settled()
    let queries = store.inspection.queries
    let observers = queries.flatMap(\.observers)
    #expect(observers.allSatisfy { $0.kind == .model })
    #expect(
      Set(observers.compactMap(\.location)).isSubset(
        of: (1...6 as ClosedRange<UInt>).map { "InspectedModelsTests.swift:\(line + $0)" }))
    #expect(
      queries.first { $0.text == "Item.sorted(by: rank)" }?.observers.map(\.location) == [
        "InspectedModelsTests.swift:\(line + 1)"
      ])
    #expect(queries.contains { $0.text == "Item.where { id == 3 }" })
    results.query = Item.where { $0.rank == 4 }
    _ = results.elements
    try await store.settled()
    let moved = store.inspection.queries.first { $0.text == "Item.where { rank == 4 }" }
    #expect(moved?.observers.map(\.location) == ["InspectedModelsTests.swift:\(line + 1)"])
    results.pause()
    #expect(store.inspection.queries.first { $0.number == moved?.number }?.observers.first?.isPaused == true)
  }

  @Test func `a model is given an event when its actor takes it, also by a write of its own`() async throws {
    let store = try Store(Item.self)
    let results = LiveResults(store, Item.all)
    _ = results.elements
    try await store.settled()
    let recording = store.recordTimings()
    try insert(1, store)
    #expect(store.inspection.queries.first?.delivery?.count == 1)
    #expect(store.inspection.queries.first?.lastEvent?.insertions == 1)
    _ = try await Worker { try store.write { tx in try tx.delete(Item.self, 1) } }.value()
    try await store.settled()
    #expect(results.elements.isEmpty)
    #expect(store.inspection.queries.first?.delivery?.count == 2)
    #expect(store.inspection.queries.first?.lastEvent?.deletions == 1)
    recording.invalidate()
  }

  private func insert(_ id: Int, _ store: Store) throws {
    try store.write { tx in try tx.insert(Item(id)) }
  }
}
