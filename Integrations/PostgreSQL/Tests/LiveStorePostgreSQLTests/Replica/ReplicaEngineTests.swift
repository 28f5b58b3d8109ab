import Dispatch
import Foundation
import LiveStore
import LiveStoreObservation
import Observation
import Synchronization
import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite struct `Commits of a replica` {
  // Whether there was a new version was looked up after the commit: by then it could be that of another writer.
  //
  //     the stream, on the main actor               others
  //     ---------------------------------------     ---------------------------------
  //                                                 commit 2, which the model does not show yet
  //     transaction without effect, would be 3
  //     the model is updated to 2
  //                                                 an observer of the model commits 3
  //     its version?
  @MainActor @Test func `a transaction without effect makes no version, though another commits meanwhile`()
    async throws
  {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    let model = LiveModel(store, Remark.all, initial: .synchronous, isolation: MainActor.shared)
    let last = Mutex(store.version)
    withObservationTracking {
      #expect(model.value?.isEmpty == true)
    } onChange: {
      do {
        try store.write { tx in
          try tx.insert(Remark(id: 2))
          last.withLock { $0 = tx.version }
        }
      } catch {
        Issue.record(error)
      }
    }
    blocking { try store.write { tx in try tx.insert(Remark(id: 1)) } }
    var expected: Version?
    let version = try await engine.follow { tx in
      try tx.update(Page.self, 1) { $0.note = nil }
      expected = tx.version
    }
    #expect(version == nil)
    #expect(expected == store.version && expected == last.withLock { $0 })
  }

  /// Bug: what waited for a position waited on when the server was another one, and ended when that had come as far with other
  /// transactions.
  @Test(.timeLimit(.minutes(20))) func `what waits for a position fails when the server is another one`()
    async throws
  {
    let engine = try await ReplicaEngine.sample()
    let position = LogSequenceNumber(rawValue: 1 << 40)
    let waiting = Task { try await engine.synced(to: position, 7) }
    while engine.waiterCount == 0 { await Task.yield() }
    engine.forgetPositions()
    let error = await #expect(throws: PostgresError.self) { try await waiting.value }
    #expect(error?.code == PostgresError.connectionFailed && error?.message.contains("not known") == true)
    // A transaction that was committed at the other server, and waits only now.
    await #expect(throws: PostgresError.self) { try await engine.synced(to: position, 7, of: 0) }
  }

  /// Runs a body on another thread and waits for it, without letting other code of this actor run.
  private func blocking(_ body: @escaping @Sendable () throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: Never.self) { try body() }
      isDone.signal()
    }
    isDone.wait()
  }

  @Test func `the version of a transaction is that of its commit`() async throws {
    let engine = try await ReplicaEngine.sample()
    let version = try #require(try await engine.follow { tx in try tx.delete(Page.self, 1) })
    #expect(version == engine.store.version)
    // With the edits of an overlay, too.
    try await engine.begin(1) { tx in try tx.update(Page.self, 2) { $0.title = "same" } }
    #expect(try await engine.follow { tx in try tx.update(Page.self, 2) { $0.title = "same" } } == nil)
    let next = try await engine.follow { tx in try tx.insert(Page(3, "new")) }
    #expect(next == engine.store.version)
  }

  // MARK: Copies

  @Test func `the rows of a copy are freed table by table, as soon as the last store has them`() async throws
  {
    let engine = try await ReplicaEngine.sample()
    let first = try Page.reader()
    try first.stage(Page.rows((1, "a"), (4, "d")))
    var counts: [Int] = []
    try await engine.apply(
      copyOf: [first, Observer { counts.append(first.stagedCount) }], isDecided: { _ in false })
    #expect(counts == [0] && first.stagedCount == 0)
    #expect(engine.store.fetch(Page.sorted(by: \.id)).map(\.title) == ["a", "d"])

    let others = [try await engine.addStore(), try await engine.addStore()]
    try first.stage(Page.rows((4, "e"), (5, "f")))
    try await engine.apply(
      copyOf: [first, Observer { counts.append(first.stagedCount) }], isDecided: { _ in false })
    #expect(counts == [0, 2, 2, 0])
    for store in [engine.store] + others {
      #expect(store.fetch(Page.sorted(by: \.id)).map(\.title) == ["e", "f"])
    }
  }

  // The last of the two rows was taken, where the table was empty it was an error.
  @Test(arguments: [false, true]) func `two rows of a copy with one id are an error`(isEmpty: Bool)
    async throws
  {
    let engine = try await ReplicaEngine.sample()
    if isEmpty { try await engine.follow { tx in try tx.deleteAll(Page.self) } }
    let count = engine.store.count(Page.all)
    let reader = try Page.reader()
    try reader.stage(Page.rows((1, "a"), (4, "d")))
    try reader.stage(Page.rows((4, "e")))
    let error = await #expect(throws: PostgresError.self) {
      try await engine.apply(copyOf: [reader], isDecided: { _ in false })
    }
    #expect(
      error?.code == PostgresError.invalidTable && error?.value == "4" && error?.table == "public.pages")
    #expect(engine.store.count(Page.all) == count)
  }

  // MARK: Further stores

  // The engine held every store that it had made.
  @Test func `a store that its user releases is no longer fed`() async throws {
    let engine = try await ReplicaEngine.sample()
    var store: Store? = try await engine.addStore()
    weak let seen = store
    let kept = try await engine.addStore()
    store = nil
    #expect(seen == nil)
    var runs = 0
    try await engine.follow { tx in
      runs += 1
      try tx.update(Page.self, 1) { $0.title = "b" }
    }
    #expect(
      runs == 2 && kept[Page.self, 1]?.title == "b" && engine.state.withLock { $0.followers.count } == 1)
    kept.close()
    try await engine.follow { tx in try tx.delete(Page.self, 1) }
    #expect(kept[Page.self, 1] != nil && engine.state.withLock { $0.followers.isEmpty })
  }

  @Test func `a further store has no optimistic edits`() async throws {
    let engine = try await ReplicaEngine.sample()
    try await engine.begin(1) { tx in
      try tx.delete(Page.self, 1)
      try tx.insert(Page(3, "new"))
    }
    let store = try await engine.addStore()
    #expect(store.fetch(Page.sorted(by: \.id)).map(\.title) == ["page 1", "page 2"])
    try await engine.follow { tx in try tx.delete(Page.self, 2) }
    #expect(store.fetch(Page.all).map(\.title) == ["page 1"] && engine.store.fetch(Page.all).map(\.id) == [3])
  }

  // A store that was made while the replica closed stayed open for ever.
  @Test func `a store that is added while the replica closes is closed, or not made`() async throws {
    for _ in 1...500 {
      let engine = try await ReplicaEngine.sample(pages: 1)
      let adding = Task.detached { try await engine.addStore() }
      let closing = Task.detached { engine.close() }
      do {
        let store = try await adding.value
        await closing.value
        #expect(throws: StoreError.self) { try store.write { tx in try tx.insert(Remark(id: 1)) } }
      } catch {
        #expect((error as? PostgresError)?.code == PostgresError.closed)
      }
    }
  }

  // MARK: Closing

  @Test func `a store that its user closes closes the replica with the next transaction`() async throws {
    let engine = try await ReplicaEngine.sample()
    let task = Task { while !Task.isCancelled { await Task.yield() } }
    engine.setTask(task)
    engine.store.close()
    let error = await #expect(throws: PostgresError.self) {
      try await engine.follow { tx in try tx.delete(Page.self, 1) }
    }
    #expect(error?.code == PostgresError.closed && engine.status.state == .closed)
    await task.value
    #expect(task.isCancelled)
    await #expect(throws: PostgresError.self) { try await engine.begin(1) { _ in } }
    await #expect(throws: PostgresError.self) { try await engine.addStore() }
    // What is closed later ends a task that comes later.
    let late = Task { while !Task.isCancelled { await Task.yield() } }
    engine.setTask(late)
    await late.value
  }

  @Test func `the operator is given each sentence once`() async throws {
    let sentences = Mutex<[String]>([])
    var options = PostgresReplica.Options()
    options.onWarning = { sentence in sentences.withLock { $0.append(sentence) } }
    let engine = try await ReplicaEngine.sample(options: options)
    for _ in 1...2 { engine.warn(try Page.reader().warnings) }
    engine.warn(["Another."])
    #expect(sentences.withLock { $0.count } == 2)
  }
}

/// A reader without rows, to look when the copy comes to it.
private final class Observer: RowReader {
  let entity: any Entity.Type = Page.self
  let warnings: [String] = []
  let stagedCount = 0
  func takeStaged(from other: any RowReader) {}
  func takeLeftOut() -> LeftOutChanges { [:] }
  let needsCopy = false
  let lastRefused: (id: RowID?, value: RefusedValue) = (nil, .none)
  func checkStaged() throws {}
  func checkLeftOut(in store: borrowing Snapshot) throws {}
  func follow(_ refused: inout RefusedRow, from old: TupleData?, to new: TupleData?) {}
  private let onReplace: () -> Void

  init(_ onReplace: @escaping () -> Void) { self.onReplace = onReplace }

  func stage(_ batch: TupleBatch) throws {}
  func replaceAll(in tx: inout WriteTransaction, isLast: Bool) throws { onReplace() }
  func insertStaged(expecting count: Int) -> @Sendable (inout WriteTransaction) throws -> Void { { _ in } }
  func endStaging(_ failure: (any Error)?) {}
  func insert(_ rows: TupleBatch, in tx: inout WriteTransaction) throws {}
  func beginChanges(_ leftOut: LeftOutRows, after other: (any RowReader)?) {}
  func update(_ old: TupleData?, isFull: Bool, to new: TupleData, in tx: inout WriteTransaction) throws {}
  func delete(_ old: TupleData, isFull: Bool, in tx: inout WriteTransaction) throws {}
  func truncate() {}
  func finishChanges(in tx: inout WriteTransaction) throws {}
}
