import Foundation
import LiveStore
import Testing

@Suite struct `Ends of JSON imports` {
  private let store: Store
  private let text = (0..<6_000).map { "{\"id\":\($0),\"title\":\"note\"}" }.joined(separator: "\n").data

  private struct Enough: Error {}

  init() throws { store = try Store(Memo.self, Editor.self) }

  @Test func `what progress throws ends the import, and the batches before it stay`() async throws {
    #expect(throws: Enough.self) {
      try store.importJSON(Memo.self, from: text) { _ in throw Enough() }
    }
    #expect(store.version == .zero)
    var committed = 0
    await #expect(throws: Enough.self) {
      try await store.importJSON(Memo.self, from: text, commit: .every(100)) { progress in
        committed = progress.objectsCommitted
        throw Enough()
      }
    }
    #expect(committed > 0 && committed < 6_000)
    #expect(store.count(Memo.all) == committed)
  }

  @Test func `a task that is cancelled ends its import`() async throws {
    let (store, text) = (store, text)
    for commit in [ImportCommit.once, .every(50)] {
      let task = Task {
        try await store.importJSON(Memo.self, from: text, mode: .upsert, commit: commit) { _ in
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect((store.count(Memo.all) == 0) == (commit == .once))
      #expect(store.count(Memo.all) < 6_000)
    }
  }

  @Test func `a closed store refuses an import before it reads`() async throws {
    store.close()
    let blocking = #expect(throws: StoreError.self) {
      try store.importJSON(Memo.self, from: text) { _ in Issue.record("it was read") }
    }
    let suspending = await #expect(throws: StoreError.self) {
      try await store.importJSON(Memo.self, from: text) { _ in Issue.record("it was read") }
    }
    #expect((blocking?.code, suspending?.code) == (StoreError.closed, StoreError.closed))
  }

  @Test func `a store that is closed during an import ends it, and the batches before it stay`() async throws
  {
    let store = store
    do {
      try await store.importJSON(Memo.self, from: text, commit: .every(10)) { _ in store.close() }
      Issue.record("the import went on")
    } catch let error as StoreError {
      #expect(error.code == StoreError.closed)
      #expect(error.committedCount == store.snapshot().count(Memo.all))
    }
  }

  @Test func `an import inside a write of the same store is refused`() throws {
    let store = store
    let text = text
    try store.write { tx in
      try tx.insert(Memo(-1, "a"))
      let error = #expect(throws: StoreError.self) { try store.importJSON(Memo.self, from: text) }
      #expect(error?.code == StoreError.nestedWrite)
    }
    #expect(store.count(Memo.all) == 1)
  }

  @Test func `an entity that the store was not made with is unknown`() async throws {
    let store = try Store(Editor.self)
    for mode: ImportMode<Memo> in [.insert, .upsert, .merge] {
      let error = await #expect(throws: StoreError.self) {
        try await store.importJSON(Memo.self, from: #"{"id":1,"title":"a"}"#.data, mode: mode)
      }
      #expect(error?.code == StoreError.unknownEntity)
    }
  }
}
