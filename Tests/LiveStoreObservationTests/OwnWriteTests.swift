import Dispatch
import LiveStore
import LiveStoreObservation
import Observation
import Synchronization
import TestSupport
import Testing

/// What an actor writes is in its models when the write returns, however it was called, and is no change to them.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OwnWriteTests {
  private let store: Store
  private let list: LiveResults<Item>

  init() throws {
    store = try Store(Item.self)
    try store.write { tx in try tx.insert(contentsOf: (0..<3).map { Item($0, rank: $0) }) }
    list = LiveResults(store, Item.sorted(by: \.rank), initial: .synchronous)
    _ = list.elements
  }

  /// A service as people write it: isolated to nothing.
  private struct Service: Sendable {
    let store: Store

    nonisolated func add(_ id: Int) throws { try store.write { tx in try tx.insert(Item(id, rank: id)) } }
    nonisolated func addLater(_ id: Int) async throws {
      try await store.write { tx in try tx.insert(Item(id, rank: id)) }
    }
  }

  private func expect(_ ids: [Int], _ location: SourceLocation = #_sourceLocation) {
    #expect(list.elements.map(\.id) == ids, sourceLocation: location)
    #expect(list.lastChange == nil, sourceLocation: location)
    #expect(list.version == store.version, sourceLocation: location)
  }

  @Test func `a blocking write without an origin is shown when it returns, and is no change`() throws {
    try store.write { tx in try tx.insert(Item(9, rank: 9)) }
    expect([0, 1, 2, 9])
    try store.write(origin: "sync") { tx in try tx.delete(Item.self, 0) }
    expect([1, 2, 9])
  }

  @Test func `an asynchronous write is shown when it returns, and is no change`() async throws {
    try await store.write { tx in try tx.insert(Item(9, rank: 9)) }
    expect([0, 1, 2, 9])
  }

  @Test func `an optimistic transaction is shown when it returns, and is no change`() async throws {
    try await store.transaction { tx in
      let count = tx.fetch(Item.all).count
      await Task.yield()
      try tx.insert(Item(9, rank: count))
    }
    expect([0, 1, 2, 9])
  }

  @Test func `a write of a service that is isolated to nothing is shown when it returns`() async throws {
    try Service(store: store).add(9)
    expect([0, 1, 2, 9])
    try await Service(store: store).addLater(10)
    expect([0, 1, 2, 9, 10])
    try await StoreRepository<Item>(store).insert(Item(11, rank: 11))
    expect([0, 1, 2, 9, 10, 11])
  }

  @Test func `an edit may end with any line in a closure that gives nothing`() throws {
    func perform(_ action: () throws -> Void) rethrows { try action() }
    try perform { try list.edit { tx in try tx.delete(Item.self, 1) } }
    expect([0, 2])
    #expect(try list.edit { tx in try tx.delete(Item.all) } == 2)
  }

  @Test func `undoing and redoing are shown when they return`() async throws {
    let undoStack = UndoStack(store)
    try list.edit { tx in try tx.delete(Item.self, 1) }
    try await undoStack.undo()
    expect([0, 1, 2])
    try await undoStack.redo()
    expect([0, 2])
    try undoStack.undoNow()
    expect([0, 1, 2])
  }

  @Test func `what others write is a change, whatever its origin`() async throws {
    for origin in [nil, "ui", "sync"] {
      try store.writeElsewhere(origin: origin) { tx in try tx.update(Item.self, 1) { $0.group += 1 } }
      try await store.settled()
      #expect(list.lastChange?.modifications.map(\.id) == [1])
      try await Task.detached { [store] in
        try await store.write(origin: origin) { tx in try tx.update(Item.self, 2) { $0.group += 1 } }
      }.value
      try await store.settled()
      #expect(list.lastChange?.modifications.map(\.id) == [2])
    }
  }

  @Test func `earlier commits of others are delivered together with the actor's own as one change`()
    throws
  {
    let shown = list.elements
    try store.writeElsewhere { tx in try tx.delete(Item.self, 0) }
    try store.write { tx in try tx.update(Item.self, 2) { $0.rank = -1 } }
    #expect(list.elements.map(\.id) == [2, 1])
    let change = try #require(list.lastChange)
    #expect(change.previous.version == shown.version && change.current.version == list.version)
    #expect(change.deletions == [0] && change.moves.count == 1)
  }

  @Test func `what others wrote elsewhere in the store does not make the actor's own write a change`() throws
  {
    let few = LiveResults(store, Item.where { $0.group == 5 }, initial: .synchronous)
    #expect(few.elements.isEmpty)
    try store.writeElsewhere { tx in try tx.delete(Item.self, 0) }
    try store.write { tx in try tx.insert(Item(9, group: 5)) }
    #expect(few.elements.map(\.id) == [9] && few.lastChange == nil)
    #expect(list.lastChange != nil)
  }

  /// A pass of upkeep over many commits at once, of which some are the actor's own.
  @Test func `the actor's own writes are distinguished from others though upkeep is late`() async throws {
    let (inside, leave) = (Signal(), Signal())
    let isHeld = Mutex(true)
    let few = LiveResults(store, Item.where { $0.group == 5 }, initial: .synchronous)
    let many = LiveResults(store, Item.where { $0.group == 6 }, initial: .synchronous)
    #expect(few.elements.isEmpty && many.elements.isEmpty)
    let slow = store.observe(
      Item.filter { (item: Item) in
        if item.id == 50, isHeld.withLock({ $0 }) {
          isHeld.withLock { $0 = false }
          inside.send()
          leave.wait()
        }
        return true
      }
    ) { _ in }
    try await store.settled()
    // Upkeep stands still in the filter, while others commit.
    try store.writeElsewhere { tx in try tx.insert(Item(50)) }
    await inside.arrival()
    for id in 51..<60 { try store.writeElsewhere { tx in try tx.insert(Item(id, group: 6)) } }
    try await store.write { tx in
      try tx.insert(Item(60, group: 5))
      leave.send()
    }
    #expect(few.elements.map(\.id) == [60] && few.lastChange == nil)
    #expect(many.elements.count == 9 && many.lastChange?.insertions == Array(0..<9))
    slow.invalidate()
  }

  @Test func `a write that throws leaves the models as they are`() throws {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try store.write { tx in
        try tx.insert(Item(8))
        throw Refusal()
      }
    }
    expect([0, 1, 2])
  }

  @Test func `a reader invalidated by a write may write, and both are shown`() throws {
    let outcome = Recorder<Bool>()
    withObservationTracking {
      _ = list.elements
    } onChange: { [store] in
      outcome.append((try? store.write { tx in try tx.insert(Item(50, rank: 50)) }) != nil)
    }
    try store.write { tx in try tx.insert(Item(40, rank: 40)) }
    #expect(outcome.events == [true])
    expect([0, 1, 2, 40, 50])
  }

  /// The rows of an actor that is not the main one.
  private actor Screen {
    let store: Store
    private lazy var items = LiveModel(store, Item.sorted(by: \.rank), initial: .synchronous, isolation: self)

    init(_ store: Store) { self.store = store }

    var ids: [Int] { items.value?.map(\.id) ?? [] }
    var isReported: Bool { items.lastChange != nil }
    func start() { _ = items.value }
    func add(_ id: Int) throws -> [Int] {
      try store.write { tx in try tx.insert(Item(id, rank: id)) }
      return ids
    }
    func addLater(_ id: Int) async throws -> [Int] {
      try await store.write { tx in try tx.insert(Item(id, rank: id)) }
      return ids
    }
  }

  @Test func `every actor's models show its own writes at once and those of other actors as changes`()
    async throws
  {
    let (one, other) = (Screen(store), Screen(store))
    await one.start()
    await other.start()
    #expect(try await one.add(10) == [0, 1, 2, 10])
    #expect(try await one.addLater(11) == [0, 1, 2, 10, 11])
    #expect(await !one.isReported)
    try await store.settled()
    #expect(await other.ids == [0, 1, 2, 10, 11])
    #expect(await other.isReported)
    #expect(list.elements.map(\.id) == [0, 1, 2, 10, 11] && list.lastChange != nil)
  }

  /// Bug: an edit of a model brought all queries of the store up to date within the write lock, twice.
  ///
  /// Cause: what others wrote was distinguished from the edit by looking before it and after it.
  /// Mend: the pass over the commit marks the models whose actor made it; it is made after the lock is released.
  @Test func `other threads write while an actor brings its models up to date`() async throws {
    let (inside, leave) = (Signal(), Signal())
    let isHeld = Mutex(false)
    let screen = Screen(store)
    await screen.start()
    let slow = store.observe(
      Item.filter { (item: Item) in
        if item.id == 50, isHeld.withLock({ $0 }) {
          inside.send()
          leave.wait()
        }
        return true
      }
    ) { _ in }
    try await store.settled()
    isHeld.withLock { $0 = true }
    async let added = screen.add(50)
    await inside.arrival()
    let version = store.version
    try await Worker { [store] in try store.write { tx in try tx.insert(Item(51, rank: 51)) } }.value()
    #expect(store.version > version)
    isHeld.withLock { $0 = false }
    leave.send()
    #expect(try await added.contains(50))
    slow.invalidate()
  }
}

// MARK: Closing

extension OwnWriteTests {
  /// Bug: after `close()` a model had no error, and looked as if it went on.
  ///
  /// Cause: the end of its subscription was taken for the end of loading alone.
  /// Mend: the end is the error `closed`.
  @Test func `the error of every model is closed when the store is`() async throws {
    let total = LiveValue(store, Item.all.count)
    let unread = LiveResults(store, Item.all)
    let paused = LiveResults(store, Item.all, initial: .synchronous)
    let screen = LiveSections(store, Item.all.sectioned(by: \.group), initial: .synchronous)
    #expect(paused.elements.count == 3 && screen.sections.count == 1 && total.value != nil)
    paused.pause()
    store.close()
    #expect(list.error?.code == StoreError.closed && screen.error?.code == StoreError.closed)
    #expect(list.elements.map(\.id) == [0, 1, 2] && !list.isLoading)
    #expect(unread.error?.code == StoreError.closed && !unread.isLoading)
    #expect(paused.error == nil)
    paused.resume()
    #expect(paused.error?.code == StoreError.closed)
    let isClosed = await isReached { total.error?.code == StoreError.closed }
    #expect(isClosed && !total.isLoading)
    list.refresh()
    #expect(list.error?.code == StoreError.closed && list.elements.count == 3)
  }

  @Test func `a store that is closed elsewhere closes the models of other actors soon after`() async throws {
    try await Worker { [store] in store.close() }.value()
    let isClosed = await isReached { list.error?.code == StoreError.closed }
    #expect(isClosed && list.elements.count == 3)
  }
}

extension UndoStack {
  /// In asynchronous code, the blocking form.
  fileprivate func undoNow() throws { try undo() }
}
