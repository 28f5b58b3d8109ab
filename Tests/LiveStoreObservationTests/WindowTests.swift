import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

/// Models of a window report what is beside it, and show more of it.
@MainActor @Suite(.timeLimit(.minutes(10))) struct WindowTests {
  private func store(_ count: Int) throws -> Store {
    let store = try Store(Item.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<count).map { Item($0, rank: $0, group: $0 % 3) })
    }
    return store
  }

  @Test func `results report how many there are without the limit and whether there are more`() async throws {
    let store = try store(5)
    let list = LiveResults(
      store, Item.where { $0.rank >= 0 }.sorted(by: \.rank).limit(2), initial: .deferred)
    #expect(list.totalCount == 0 && !list.hasMore)
    try await store.settled()
    #expect(list.elements.count == 2 && list.totalCount == 5 && list.hasMore)
    list.loadMore()
    #expect(list.elements.count == 4 && list.totalCount == 5 && list.hasMore)
    list.loadMore()
    #expect(list.elements.count == 5 && list.totalCount == 5 && !list.hasMore)
    list.offset = 4
    list.limit = 1
    #expect(list.elements.map(\.id) == [4] && list.totalCount == 5 && !list.hasMore)
    list.query = Item.where { $0.rank > 2 }
    try await store.settled()
    #expect(list.elements.count == 2 && list.totalCount == 2 && !list.hasMore)
  }

  /// Bug: an overflow, and before the rows of another window had come the answer was about that.
  @Test func `whether there are more is answered for what is shown, whatever window is pending`() async throws
  {
    let store = try store(30)
    let list = LiveResults(store, Item.sorted(by: \.rank).limit(20), initial: .synchronous)
    let board = LiveSections(
      store, Item.sorted(by: \.rank).limit(20).sectioned(by: \.group), initial: .synchronous)
    #expect(list.hasMore && board.hasMore)
    list.query = Item.where { $0.rank > 2 }.offset(.max)
    board.query = Item.where { $0.rank > 2 }.offset(.max).sectioned(by: \.group)
    // What is shown is still the old window; of sections, the new offset is beyond all rows.
    #expect(list.hasMore && !board.hasMore)
    list.query = Item.where { $0.rank > 2 }.offset(20).limit(20)
    // Shown at once where the rows of the query before are there already.
    #expect(list.hasMore == (list.elements.count == 20))
    try await store.settled()
    #expect(list.elements.count == 7 && !list.hasMore)
    #expect(board.sections.isEmpty && !board.hasMore)
  }

  @Test func `the total follows what happens beside the window, and invalidates its own readers alone`()
    async throws
  {
    let store = try store(5)
    let list = LiveResults(store, Item.sorted(by: \.rank).limit(2), initial: .synchronous)
    #expect(list.totalCount == 5)
    let (rows, total, change) = (
      Invalidations { _ = list.elements.count }, Invalidations { _ = list.totalCount },
      Invalidations { _ = list.lastChange }
    )
    try store.writeElsewhere { tx in try tx.insert(Item(9, rank: 9)) }
    try await store.settled()
    #expect(list.totalCount == 6 && total.count == 1 && rows.count == 0 && change.count == 0)
    try await store.write { tx in try tx.delete(Item.self, 9) }
    #expect(list.totalCount == 5 && total.count == 2 && rows.count == 0)
    // Beside the window, and of no consequence for their number.
    try store.writeElsewhere { tx in try tx.update(Item.self, 4) { $0.name = "four" } }
    try await store.settled()
    #expect(total.count == 2 && rows.count == 0)
    try store.writeElsewhere { tx in try tx.insert(Item(10, rank: -1)) }
    try await store.settled()
    #expect(
      list.elements.map(\.id) == [10, 0] && list.totalCount == 6 && total.count == 3 && rows.count == 1)
    #expect(list.lastChange?.insertions == [0])
  }

  /// Bug: a view that asks whether there is more was invalidated by each letter of a search, and again by its results.
  @Test func `whether there is more is reported with the results, and not with the query`() async throws {
    let store = try store(5)
    let list = LiveResults(store, Item.sorted(by: \.rank).limit(2), initial: .synchronous)
    let sections = LiveSections(
      store, Item.sorted(by: \.rank).limit(2).sectioned(by: \.group), initial: .synchronous)
    #expect(list.hasMore && sections.hasMore)
    let (rows, columns) = (Invalidations { _ = list.hasMore }, Invalidations { _ = sections.hasMore })
    list.query = Item.where { $0.rank > 2 }.limit(2)
    sections.query = Item.where { $0.rank > 2 }.limit(2).sectioned(by: \.group)
    #expect(rows.count == 0 && columns.count == 0)
    try await store.settled()
    #expect(rows.count == 1 && columns.count == 1 && !list.hasMore && !sections.hasMore)
    list.query = Item.sorted(by: \.rank).offset(1).limit(3)
    try await store.settled()
    #expect(rows.count == 2 && list.hasMore)
    list.offset = 2
    #expect(rows.count == 3 && !list.hasMore)
  }

  @Test func `a total shares the results that are maintained for the window`() async throws {
    let store = try store(5)
    let list = LiveResults(store, Item.sorted(by: \.rank).limit(2), initial: .synchronous)
    #expect(list.totalCount == 5)
    #expect(store.metrics.liveQueries == 1 && store.metrics.observers == 1)
  }

  @Test func `sections report their total, load more and edit`() async throws {
    let store = try store(7)
    let sections = LiveSections(
      store, Item.sorted(by: \.rank).limit(2).sectioned(by: \.group), initial: .synchronous)
    #expect(sections.sections.map(\.key) == [0, 1])
    #expect(sections.totalCount == 7 && sections.hasMore && sections.limit == 2)
    sections.loadMore()
    try await store.settled()
    #expect(sections.sections.map(\.count) == [2, 1, 1] && sections.hasMore)
    sections.loadMore(10)
    try await store.settled()
    #expect(sections.sections.map(\.count) == [3, 2, 2] && !sections.hasMore && sections.totalCount == 7)
    try sections.edit { tx in try tx.insert(Item(9, rank: 9, group: 1)) }
    #expect(sections.sections.map(\.count) == [3, 3, 2] && sections.totalCount == 8)
    #expect(sections.lastChange == nil)
    let all = LiveSections(store, Item.all.sectioned(by: \.group), initial: .synchronous)
    #expect(all.totalCount == 8 && !all.hasMore)
    all.loadMore()
    #expect(all.sections.count == 3)
  }

  @Test func `a board shows all its columns before the first rows are there`() async throws {
    let store = try store(2)
    let board = LiveSections(
      store, Item.sorted(by: \.rank).sectioned(by: \.group).including([0, 1, 2]), initial: .deferred)
    #expect(board.sections.map(\.key) == [0, 1, 2] && board.sections.allSatisfy(\.isEmpty))
    try await store.settled()
    #expect(board.sections.map(\.count) == [1, 1, 0])
    try board.edit { tx in try tx.update(Item.self, 0) { $0.group = 2 } }
    #expect(board.sections.map(\.count) == [0, 1, 1])
  }

  /// Bug: the change between sections by two keys had places of rows that were not there.
  ///
  /// Cause: the sections before were read by the later key.
  /// Mend: the change leads from the sections that were shown.
  @Test func `the change between sections by different keys leads from those that were shown`() throws {
    let store = try store(6)
    let sections = LiveSections(
      store, Item.sorted(by: \.rank).sectioned(by: \.group), initial: .synchronous)
    #expect(sections.sections.map(\.key) == [0, 1, 2])
    sections.query = Item.where { $0.rank > 0 }.sorted(by: \.rank).sectioned { (item: Item) in
      item.rank / 2 + 1
    }
    sections.refresh()
    #expect(sections.sections.map { $0.map(\.id) } == [[1], [2, 3], [4, 5]])
    let change = try #require(sections.lastChange)
    #expect(change.previous.map { $0.map(\.id) } == [[0, 3], [1, 4], [2, 5]])
    #expect(change.sectionDeletions == [0] && change.sectionInsertions == [2])
    #expect(change.deletions == [SectionPosition(section: 0, row: 0)] && change.insertions.isEmpty)
    // Items 1 and 2 keep their section, 3, 4 and 5 go to another.
    #expect(change.moves.map(\.id) == [3, 4, 5])
  }

  @Test func `sections without rows appear and disappear between queries that include different keys`() throws
  {
    let store = try store(1)
    let board = LiveSections(
      store, Item.all.sectioned(by: \.rank).including([1]), initial: .synchronous)
    #expect(board.sections.map(\.key) == [0, 1])
    board.query = Item.all.sectioned(by: \.rank).including([0, 2, 3])
    board.refresh()
    #expect(board.sections.map(\.key) == [0, 2, 3])
    #expect(board.lastChange?.sectionDeletions == [1] && board.lastChange?.sectionInsertions == [1, 2])
  }
}
