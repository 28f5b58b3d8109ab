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

  @Test func `a copy replaces what each store has, and leaves the rest in its place`() async throws {
    let engine = try await ReplicaEngine.sample()
    func copy(_ rows: TupleBatch) async throws {
      let reader = try Page.reader()
      try await engine.compare([reader])
      try reader.stage(rows)
      try await engine.apply(copyOf: [reader], isDecided: { _ in false })
    }
    try await copy(Page.rows((4, "d"), (1, "a")))
    #expect(engine.store.fetch(Page.all).map(\.title) == ["a", "d"])
    let others = [try await engine.addStore(), try await engine.addStore()]
    try await engine.begin(1) { tx in try tx.update(Page.self, 4) { $0.title = "edited" } }
    try await copy(Page.rows((5, "f"), (4, "e")))
    for store in others { #expect(store.fetch(Page.all).map(\.title) == ["e", "f"]) }
    #expect(engine.store.fetch(Page.all).map(\.title) == ["edited", "f"])
    try await engine.end(1)
    #expect(engine.store.fetch(Page.all).map(\.title) == ["e", "f"])
  }

  @Test func `of the rows of a later copy only those are held that differ from what the store has`()
    async throws
  {
    let live = Live()
    let table = try #require(
      try Replicated("pages", Held.self) { row in
        Held(id: try row.decode("id"), title: try row.decode("title"), token: Token(live))
      }.replicated.table())
    let source = ReplicaSource(
      connectionString: "", publication: "app", slot: .temporary, tables: [table], locals: [],
      options: .init())
    let engine = try ReplicaEngine(source, try Store(Held.self))
    try await engine.follow { tx in
      for id in 1...500 { try tx.insert(Held(id: id, title: "page \(id)", token: Token(live))) }
    }
    let reader = try table.makeReader(Page.layout)
    try await engine.compare([reader])
    // The row 1 has another title, and 501 is new.
    for start in [1, 251] {
      try reader.stage(
        Page.rows(
          (start..<start + 251).map { ($0, $0 == 1 ? "other" : "page \($0)") }.dropLast(start == 1 ? 1 : 0)))
    }
    #expect(reader.stagedCount == 501)
    #expect(live.count == 502)
    try await engine.apply(copyOf: [reader], isDecided: { _ in false })
    #expect(engine.store.count(Held.all) == 501 && engine.store[Held.self, 1]?.title == "other")
  }

  // The last of the two rows was taken, where the table was empty it was an error.
  @Test(arguments: [false, true]) func `two rows of a copy with one id are an error`(isEmpty: Bool)
    async throws
  {
    let engine = try await ReplicaEngine.sample()
    if isEmpty { try await engine.follow { tx in try tx.deleteAll(Page.self) } }
    let count = engine.store.count(Page.all)
    let reader = try Page.reader()
    try await engine.compare([reader])
    try reader.stage(Page.rows((1, "a"), (4, "d")))
    let error = #expect(throws: PostgresError.self) { try reader.stage(Page.rows((4, "e"))) }
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

/// How many tokens there are.
private final class Live: Sendable {
  private let value = Mutex(0)
  var count: Int { value.withLock { $0 } }
  func add(_ number: Int) { value.withLock { $0 += number } }
}

/// What an object holds as long as it is in memory; all are equal.
private final class Token: Equatable, Sendable {
  private let live: Live

  init(_ live: Live) {
    self.live = live
    live.add(1)
  }

  deinit { live.add(-1) }

  static func == (left: Token, right: Token) -> Bool { true }
}

private struct Held: Entity {
  let id: Int
  var title: String
  var token: Token
  static let schema = Schema<Held> {
    \.title
    \.token
  }
}
