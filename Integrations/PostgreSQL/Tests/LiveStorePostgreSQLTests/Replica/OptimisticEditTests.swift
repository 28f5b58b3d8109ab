import LiveStore
import Synchronization
import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

@Suite struct `Optimistic edits` {
  @Test func `what the server says is shown with the edits, which are left out when they are decided`()
    async throws
  {
    let engine = try await ReplicaEngine.sample(pages: 3)
    let store = engine.store
    try await engine.begin(1) { tx in
      try tx.update(Page.self, 1) { $0.title += "!" }
      try tx.delete(Page.self, 2)
      try tx.insert(Page(4, "new"))
    }
    try await engine.setTransaction(77, of: 1)
    #expect(engine.status.optimisticEdits == 1)
    try await engine.follow { tx in
      try tx.update(Page.self, 1) { $0.title = "other" }
      try tx.update(Page.self, 2) { $0.title = "deleted here" }
      try tx.upsert(Page(4, "the server's"))
    }
    // The insertion fails now, and with it the whole edit.
    #expect(
      store.fetch(Page.sorted(by: \.id)).map(\.title) == ["other", "deleted here", "page 3", "the server's"])
    try await engine.follow { tx in try tx.delete(Page.self, 4) }
    #expect(store[Page.self, 1]?.title == "other!" && store[Page.self, 2] == nil)
    #expect(store[Page.self, 4]?.title == "new")
    try await engine.follow(77) { tx in try tx.delete(Page.self, 3) }
    #expect(store[Page.self, 1]?.title == "other" && store[Page.self, 2]?.title == "deleted here")
    #expect(store.count(Page.all) == 2 && engine.status.optimisticEdits == 0)
  }

  // A transaction was applied to the server's state, which was a store of its own, before the store shown accepted it. When
  // that failed, the two were out of step: applied again, the transaction changed nothing, and its deletion was never
  // shown.
  @Test func `a transaction that the store refuses can be applied later`() async throws {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    try await engine.begin(1) { tx in try tx.update(Page.self, 2) { $0.title = "edited" } }
    try await store.write { tx in try tx.insert(Pin(1, Ref(1))) }
    let deletion: (inout WriteTransaction) throws -> Void = { tx in try tx.delete(Page.self, 1) }
    await #expect(throws: StoreError.self) { try await engine.follow(0, deletion) }
    #expect(store[Page.self, 1] != nil)
    try await store.write { tx in try tx.delete(Pin.self, 1) }
    try await engine.follow(0, deletion)
    #expect(store[Page.self, 1] == nil && store[Page.self, 2]?.title == "edited")
    try await engine.end(1)
    #expect(store[Page.self, 2]?.title == "page 2")
  }

  // The edit was forgotten, and its error was not thrown: what it had inserted was shown for ever.
  @Test func `an edit that the store refuses to undo is an error, and is undone later`() async throws {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    try await engine.begin(1) { tx in try tx.insert(Page(5, "new")) }
    try await store.write { tx in try tx.insert(Pin(1, Ref(5))) }
    let error = await #expect(throws: StoreError.self) { try await engine.end(1) }
    #expect(error?.code == StoreError.missingLinkTarget)
    #expect(store[Page.self, 5] != nil)
    try await store.write { tx in try tx.delete(Pin.self, 1) }
    try await engine.follow { tx in try tx.update(Page.self, 1) { $0.title = "other" } }
    #expect(store[Page.self, 5] == nil && store[Page.self, 1]?.title == "other")
    #expect(engine.status.optimisticEdits == 0)
  }

  @Test func `an edit that fails, or whose commit does, leaves no trace`() async throws {
    struct Refused: Error {}
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    let before = store.version
    await #expect(throws: Refused.self) {
      try await engine.begin(1) { tx in
        try tx.delete(Page.self, 1)
        throw Refused()
      }
    }
    #expect(store.version == before && engine.overlay.withLock { $0.count } == 0)
    // The store is closed when the transaction would commit.
    await #expect(throws: PostgresError.self) {
      try await engine.begin(2) { [store] tx in
        try tx.delete(Page.self, 1)
        store.close()
      }
    }
    #expect(store.version == before && engine.overlay.withLock { $0.count } == 0)
  }

  // The mutex of the edits was held while they ran: what asked for it waited for ever, or was a trap.
  @Test func `no lock of the replica is held while an edit runs`() async throws {
    let engine = try await ReplicaEngine.sample()
    let free = Mutex(0)
    try await engine.begin(1) { tx in
      try tx.update(Page.self, 1) { $0.title = "\(engine.status.transactions)" }
      if engine.overlay.withLockIfAvailable({ $0.count }) != nil { free.withLock { $0 += 1 } }
    }
    try await engine.follow { tx in try tx.delete(Page.self, 2) }
    #expect(free.withLock { $0 } == 2)
    try await engine.end(1)
  }

  // MARK: Entities that are not replicated

  @Test func `an edit that would change what is not replicated is refused, also by a rule`() async throws {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    try await store.write { tx in try tx.insert(Remark(id: 7, page: Ref(1))) }
    let before = store.version
    let edits: [Overlay.Body] = [
      { tx in
        try tx.update(Page.self, 2) { $0.title = "edited" }
        try tx.insert(Remark(id: 8))
      },
      { tx in try tx.delete(Remark.self, 7) },
      // The remark would lose its link for good.
      { tx in try tx.delete(Page.self, 1) },
    ]
    for (index, edit) in edits.enumerated() {
      let error = await #expect(throws: PostgresError.self) {
        try await engine.begin(UInt64(index), edit)
      }
      #expect(error?.code == PostgresError.readOnly && error?.message.contains("Remark") == true)
    }
    #expect(store.version == before && engine.status.optimisticEdits == 0)
    // An object to which none of these links can be deleted.
    try await engine.begin(9) { tx in try tx.delete(Page.self, 2) }
    #expect(store[Page.self, 2] == nil && store[Remark.self, 7]?.page == Ref(1))
    try await engine.end(9)
    #expect(store.count(Page.all) == 2)
  }

  // Edits ran on a copy of the store as it was when the first of them was shown.
  @Test func `an edit reads what is not replicated as it is now`() async throws {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    try await engine.begin(1) { tx in
      let text = tx[Remark.self, 7]?.text ?? "none"
      try tx.update(Page.self, 1) { $0.title = text }
    }
    #expect(store[Page.self, 1]?.title == "none")
    try await store.write { tx in try tx.insert(Remark(id: 7, page: Ref(2), text: "a remark")) }
    try await engine.follow { tx in try tx.upsert(Page(3, "page 3")) }
    #expect(store[Page.self, 1]?.title == "a remark")
    // The rules hold for what the server deletes.
    try await engine.follow { tx in try tx.delete(Page.self, 2) }
    #expect(store[Remark.self, 7]?.text == "a remark" && store[Remark.self, 7]?.page == nil)
    try await engine.end(1)
    #expect(store[Page.self, 1]?.title == "page 1")
  }

  @Test func `what links to an inserted object keeps its link until the edit is undone`() async throws {
    let engine = try await ReplicaEngine.sample()
    let store = engine.store
    try await engine.begin(1) { tx in try tx.insert(Page(5, "new")) }
    try await engine.setTransaction(77, of: 1)
    try await store.write { tx in try tx.insert(Remark(id: 7, page: Ref(5))) }
    try await engine.follow { tx in try tx.delete(Page.self, 1) }
    #expect(store[Remark.self, 7]?.page == Ref(5))
    try await engine.follow(77) { tx in try tx.insert(Page(5, "the server's")) }
    #expect(store[Remark.self, 7]?.page == Ref(5) && store[Page.self, 5]?.title == "the server's")
    try await engine.begin(2) { tx in try tx.insert(Page(6, "new")) }
    try await store.write { tx in try tx.update(Remark.self, 7) { $0.page = Ref(6) } }
    try await engine.end(2)
    #expect(store[Remark.self, 7]?.page == nil)
  }
}
