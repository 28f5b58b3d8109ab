import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

/// What a model has when it is first read.
///
/// Bug: the first frame of every list was empty, also of a hundred rows in memory.
/// Cause: the first value was loaded in the background, whatever it took.
/// Mend: it is loaded at once where the plan visits few rows.
@MainActor @Suite struct `The first read of a model` {
  private func store(_ count: Int = 100) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, name: "item \($0)", rank: $0, group: $0 % 3) })
    }
    return store
  }

  @Test func `results have their rows`() throws {
    let store = try store()
    #expect(LiveResults(store, Item.all).elements.map(\.id) == Array(0..<100))
    let few = LiveResults(
      store, Item.where { $0.name.contains("9") }.sorted(by: \.rank, .descending).limit(2))
    #expect(few.elements.map(\.id) == [99, 98])
    #expect(!few.isLoading && few.version == store.version && few.totalCount == 19 && few.hasMore)
    #expect(LiveResults(store, Item.where { $0.rank == 7 })[id: 7]?.rank == 7)
  }

  @Test func `an object is there`() throws {
    #expect(LiveObject(try store(), Item.self, 5).name == "item 5")
  }

  @Test func `a value is there, of a count, a sum and groups`() throws {
    let store = try store()
    #expect(LiveValue(store, Item.where { $0.group == 1 }.count).value == 33)
    #expect(LiveValue(store, Item.all.sum(\.rank)).value == 4_950)
    #expect(LiveValue(store, Item.all.grouped(by: \.group).count).value?.map(\.value) == [34, 33, 33])
  }

  @Test func `sections have their rows`() throws {
    let board = LiveSections(try store(), Item.sorted(by: \.rank).sectioned(by: \.group))
    #expect(board.sections.map(\.key) == [0, 1, 2] && board.sections.map(\.count) == [34, 33, 33])
  }

  @Test func `a group has the values of all its members`() throws {
    let group = LiveSources(try store(), Item.where { $0.group == 0 }, Item.all.count)
    #expect(group.values?.0.count == 34 && group.values?.1 == 100)
  }

  @Test func `a draft knows what is stored`() throws {
    let draft = EditableCopy(of: Item(5, name: "older"), in: try store())
    #expect(draft.isOutdated && !draft.isDeleted)
  }

  @Test func `the first event of a repository has the rows`() async throws {
    let items = StoreRepository<Item>(try store())
    var changes = items.changes(of: Item.where { $0.group == 1 }).makeAsyncIterator()
    #expect(try await changes.next()?.elements.count == 33)
  }

  actor Feed {
    private let store: Store
    private lazy var items = LiveModel(store, Item.where { $0.rank < 3 }, isolation: self)
    init(_ store: Store) { self.store = store }
    func first() -> [Int]? { items.value?.map(\.id) }
  }

  @Test func `a model of another actor has its rows`() async throws {
    #expect(await Feed(try store()).first() == [0, 1, 2])
  }

  /// The line is at 10,000 visited rows: below it, the first read evaluates the query; above, the background does.
  @Test
  func `a query that visits many rows is loaded in the background, and one that an index serves at once`()
    async throws
  {
    let store = try store(10_001)
    // No index: all rows are visited.
    let scan = LiveResults(store, Item.where { $0.name == "item 7" })
    #expect(scan.elements.isEmpty && scan.isLoading)
    // Of an index, those that it leads to.
    #expect(LiveResults(store, Item.where { $0.rank < 10 }).elements.count == 10)
    // Insertion order is that of the table, which is read as it is.
    #expect(LiveResults(store, Item.all).elements.count == 10_001)
    // A window is one of all rows, which are maintained.
    #expect(LiveResults(store, Item.sorted(by: \.name).limit(10)).elements.isEmpty)
    #expect(
      LiveSources(store, Item.where { $0.rank < 10 }, Item.where { $0.isDone == true }.count).values == nil)
    #expect(LiveSections(store, Item.all.sectioned(by: \.group)).sections.isEmpty)
    #expect(LiveResults(store, Item.sorted(by: \.rank)).elements.isEmpty)
    try await store.settled()
    #expect(scan.elements.map(\.id) == [7] && !scan.isLoading)
    // What is maintained already is there.
    #expect(LiveResults(store, Item.where { $0.name == "item 7" }).elements.count == 1)
    try await store.write { tx in try tx.delete(Item.self, 0) }
    #expect(LiveResults(store, Item.where { $0.name == "item 8" }).elements.map(\.id) == [8])
  }

  @Test func `rows that are sorted by text count five times`() throws {
    let some = try store(2_001)
    #expect(LiveResults(some, Item.sorted(by: \.name)).elements.isEmpty)
    #expect(LiveResults(some, Item.sorted(by: \.rank)).elements.count == 2_001)
    try some.write { tx in try tx.delete(Item.self, 0) }
    #expect(LiveResults(some, Item.sorted(by: \.name)).elements.count == 2_000)
    let more = try store(10_000)
    #expect(LiveResults(more, Item.where { $0.name == "item 7" }).elements.map(\.id) == [7])
    #expect(LiveResults(more, Item.sorted(by: \.rank)).elements.count == 10_000)
  }

  @Test func `what is asked for is done, whatever the plan says`() throws {
    let store = try store(10_001)
    let scan = LiveResults(store, Item.where { $0.name == "item 7" }, initial: .synchronous)
    #expect(scan.elements.map(\.id) == [7])
    let few = LiveResults(store, Item.where { $0.rank == 7 }, initial: .deferred)
    #expect(few.elements.isEmpty && few.isLoading)
  }
}
