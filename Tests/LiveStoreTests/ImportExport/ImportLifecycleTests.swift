import Foundation
import LiveStore
import TestSupport
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

  /// Bug: what the last call threw said that nothing was imported, and all was.
  @Test(arguments: [ImportCommit.once, .every(100)])
  func `an import that is committed succeeds, whatever progress throws then`(commit: ImportCommit)
    async throws
  {
    func throwAtEnd(_ progress: ImportProgress) throws {
      if progress.objectsCommitted == 6_000 { throw Enough() }
    }
    let (store, text) = (store, text)
    let report = try await store.importJSON(Memo.self, from: text, commit: commit, progress: throwAtEnd)
    #expect(report.inserted == 6_000 && store.count(Memo.all) == 6_000)
    func update() throws -> ImportReport {
      try store.importJSON(Memo.self, from: text, mode: .upsert, commit: commit, progress: throwAtEnd)
    }
    #expect(try update().unchanged == 6_000)
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

  /// A pipe with a name, which is removed afterwards.
  private func withPipe(_ body: (URL) async throws -> Void) async throws {
    let pipe = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID())")
    try #require(mkfifo(pipe.path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: pipe) }
    try await body(pipe)
  }

  /// Bug: an import of a pipe waited for its bytes, and for a writer, on a thread of the pool, and a task that was
  /// cancelled waited on. Mend: the pipe is read when it has bytes.
  @Test func `imports of pipes without bytes hold no threads, and end when they are cancelled`() async throws
  {
    let store = store
    try await withPipe { pipe in
      // One has a writer, and the others wait for one.
      let open = PrivatePipe()
      let descriptor = URL(fileURLWithPath: "/dev/fd/\(open.reading.fileDescriptor)")
      let count = 2 * ProcessInfo.processInfo.activeProcessorCount
      let tasks = (0...count).map { number in
        Task { try await store.importJSON(Memo.self, from: number == 0 ? descriptor : pipe) }
      }
      // What runs on the pool goes on.
      for id in 1...100 {
        try await Task.detached { try await store.write { tx in try tx.insert(Memo(id, "a")) } }.value
      }
      for task in tasks { task.cancel() }
      for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
      try open.writing.close()
    }
  }

  @Test func `a pipe is imported as its bytes come, up to the end of its last writer`() async throws {
    let store = store
    try await withPipe { pipe in
      let task = Task { try await store.importJSON(Memo.self, from: pipe, commit: .every(1)) }
      let writer = try await Task.detached { try FileHandle(forWritingTo: pipe) }.value
      for id in 1...3 {
        try writer.write(contentsOf: "{\"id\":\(id),\"title\":\"a\"}\n".data)
        #expect(await isReached { store.count(Memo.all) == id })
      }
      try writer.close()
      #expect(try await task.value.inserted == 3)
    }
  }

  @Test func `a device that is never waited for is read`() async throws {
    let report = try await store.importJSON(Memo.self, from: URL(fileURLWithPath: "/dev/null"))
    #expect(report.inserted == 0)
  }
}
