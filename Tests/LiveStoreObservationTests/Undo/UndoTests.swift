import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

@Suite struct `Undo and redo` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try makeNoteStore()
    try store.write(origin: "sync") { tx in
      try tx.insert(contentsOf: (1...3).map { Owner(id: $0, name: "owner \($0)") })
      try tx.insert(contentsOf: (1...3).map { Label(id: $0, name: "label \($0)") })
      try tx.insert(
        contentsOf: (1...5).map { Note(id: $0, title: "note \($0)", owner: 1, labels: [1, 2, 1]) })
      try tx.insert(contentsOf: (1...4).map { Remark(id: $0, note: Ref($0), reader: 3) })
      try tx.insert(Remark(id: 5, note: 1, parent: 4))
    }
    stack = UndoStack(store, merging: .zero)
  }

  @Test(arguments: [0, -1]) func `a stack without room for steps keeps none`(_ maximum: Int) throws {
    let stack = UndoStack(store, maximumSteps: maximum, maximumObjects: maximum, merging: .zero)
    try store.write(origin: "ui") { tx in try tx.update(Note.self, 2) { $0.title = "other" } }
    #expect(!stack.canUndo && stack.stepCount == 0)
    #expect(try stack.undo() == nil)
  }

  @Test func `a blocking write is undone right after it`() throws {
    let before = store.content
    try store.write(origin: "ui") { tx in try tx.update(Note.self, 2) { $0.title = "other" } }
    let report = try stack.undo()
    #expect(store.content == before)
    #expect(report?.objectCount == 1)
    #expect(report?.conflicts == [])
    #expect(report?.version == store.version)
  }

  @Test func `an asynchronous write is undone right after it`() async throws {
    let before = store.content
    try await store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
    let after = store.content
    try await stack.undo()
    #expect(store.content == before)
    try await stack.redo()
    #expect(store.content == after)
  }

  @Test func `undo deletes inserted objects, reverts edited ones and restores deleted ones in their places`()
    throws
  {
    try store.write(origin: "ui") { tx in
      try tx.insert(Note(id: 9, title: "new"))
      try tx.update(Note.self, 2) { $0.title = "other" }
      try tx.delete(Label.self, 1)
      try tx.delete(Note.self, 5)
    }
    #expect(store.content.notes.map(\.id) == [1, 2, 3, 4, 9])
    try stack.undo()
    #expect(store.content.notes.map(\.id) == [1, 2, 3, 4, 5])
    #expect(store.content.notes.map(\.title) == (1...5).map { "note \($0)" })
    #expect(store.content.notes.allSatisfy { $0.labels == [1, 2, 1] })
    #expect(store.content.labels.map(\.id) == [1, 2, 3])
    #expect(store.breach == nil)
  }

  @Test func `undo of a deletion restores what it deleted by cascade and the links that it removed`() throws {
    let before = store.content
    try store.write(origin: "ui") { tx in
      try tx.delete(Note.self, 4)
      try tx.delete(Owner.self, 1)
    }
    let after = store.content
    #expect(after.remarks.map(\.id) == [1, 2, 3])
    #expect(after.notes.allSatisfy { $0.owner == nil })
    #expect(try stack.undo()?.objectCount == 8)
    #expect(store.content == before)
    #expect(try stack.redo()?.objectCount == 8)
    #expect(store.content == after)
    #expect(store.breach == nil)
  }

  @Test func `undo and redo move an object that was deleted and inserted again between its two places`()
    throws
  {
    let before = store.content
    try store.write(origin: "ui") { tx in
      try tx.delete(Label.self, 1)
      try tx.insert(Label(id: 1, name: "again"))
    }
    #expect(store.content.labels.map(\.id) == [2, 3, 1])
    let after = store.content
    #expect(try stack.undo()?.objectCount == 6)
    #expect(store.content == before)
    try stack.redo()
    #expect(store.content == after)
    #expect(store.breach == nil)
  }

  @Test func `undo restores a whole store that was emptied`() throws {
    let before = store.content
    try store.write(origin: "ui") { tx in try tx.deleteAll() }
    try store.write(origin: "ui") { tx in try tx.insert(Label(id: 7)) }
    try stack.undo()
    try stack.undo()
    #expect(store.content == before)
    #expect(store.breach == nil)
    try stack.redo()
    try stack.redo()
    #expect(store.content == Content(owners: [], labels: [Label(id: 7)], notes: [], remarks: []))
  }

  @Test func `undo restores each of many rows to its place`() throws {
    try store.write { tx in try tx.insert(contentsOf: (10..<2_000).map { Label(id: $0, name: "\($0)") }) }
    let before = store.content
    try store.write(origin: "ui") { tx in
      for id in stride(from: 10, to: 2_000, by: 3) { try tx.delete(Label.self, id) }
      try tx.update(Label.where { $0.name == "11" }) { $0.name = "eleven" }
    }
    try stack.undo()
    #expect(store.content == before)
    #expect((10..<2_000).allSatisfy { store.snapshot()[Label.self, $0]?.name == "\($0)" })
    #expect(store.breach == nil)
  }

  @Test func `steps are undone newest first, and redone oldest first`() throws {
    var contents = [store.content]
    for step in 1...4 {
      try store.write(origin: "ui") { tx in
        try tx.upsert(Note(id: step, title: "step \(step)"))
        try tx.delete(Label.self, 4 - step)
        try tx.insert(Label(id: 10 + step))
      }
      contents.append(store.content)
    }
    for step in (0..<4).reversed() {
      try stack.undo()
      #expect(store.content == contents[step])
    }
    #expect(!stack.canUndo)
    for step in 1...4 {
      try stack.redo()
      #expect(store.content == contents[step])
    }
    #expect(!stack.canRedo)
  }

  @Test func `undoing is one commit by an origin of its own, and no step`() async throws {
    let start = store.version
    try await store.write(origin: "ui") { tx in
      try tx.delete(Note.self, 1)
      try tx.insert(Label(id: 9))
    }
    try await stack.undo()
    try await stack.redo()
    var commits = store.commits(after: start).makeAsyncIterator()
    var origins: [String?] = []
    for _ in 0..<3 { origins.append(try await commits.next()?.origin) }
    #expect(origins == ["ui", "ui.undo", "ui.undo"])
    #expect(stack.undoOrigin == "ui.undo")
    #expect(store.version.number == start.number + 3)
    #expect(stack.stepCount == 1)
  }

  @Test func `a new step empties what could be redone, a commit of others does not`() throws {
    try store.write(origin: "ui") { tx in try tx.delete(Note.self, 1) }
    try stack.undo()
    try store.write(origin: "sync") { tx in try tx.delete(Note.self, 2) }
    #expect(stack.canRedo)
    try store.write(origin: "ui") { tx in try tx.delete(Note.self, 3) }
    #expect(!stack.canRedo)
    #expect(try stack.redo() == nil)
    try stack.undo()
    #expect(store.content.notes.map(\.id) == [1, 3, 4, 5])
  }

  @Test func `commits of others and of no origin are no steps`() throws {
    try store.write(origin: "sync") { tx in try tx.delete(Note.self, 1) }
    try store.write { tx in try tx.delete(Note.self, 2) }
    #expect(!stack.canUndo)
    let version = store.version
    #expect(try stack.undo() == nil)
    #expect(try stack.redo() == nil)
    #expect(store.version == version)
  }

  @Test func `each origin has its own stack`() throws {
    let other = UndoStack(store, origin: "script", merging: .zero)
    try store.write(origin: "script") { tx in try tx.update(Note.self, 1) { $0.title = "script" } }
    try store.write(origin: "ui") { tx in try tx.update(Note.self, 2) { $0.title = "ui" } }
    try other.undo()
    #expect(store.content.notes.prefix(2).map(\.title) == ["note 1", "ui"])
    try stack.undo()
    #expect(store.content.notes.prefix(2).map(\.title) == ["note 1", "note 2"])
  }

  @Test func `undo restores properties that the schema ignores`() throws {
    try store.write { tx in try tx.update(Note.self, 1) { $0.scratch = 7 } }
    try store.write(origin: "ui") { tx in try tx.delete(Note.self, 1) }
    try stack.undo()
    #expect(store.snapshot()[Note.self, 1]?.scratch == 7)
  }

  @Test func `a store that keeps no history loses no step, however fast the commits are`() throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 0
    let store = try makeNoteStore(configuration)
    let stack = UndoStack(store, maximumSteps: 3_000, merging: .zero)
    for id in 0..<2_500 { try store.write(origin: "ui") { tx in try tx.insert(Label(id: id)) } }
    #expect(stack.stepCount == 2_500)
    for _ in 0..<2_500 { try stack.undo() }
    #expect(store.content.labels.isEmpty)
    #expect(stack.stepCount == 2_500)
    #expect(!stack.canUndo)
  }
}

@Suite struct `An undo that fails` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try makeNoteStore()
    try store.write { tx in
      try tx.insert(contentsOf: [Owner(id: 1, name: "Ann"), Owner(id: 2, name: "Ben")])
      try tx.insert(contentsOf: [Note(id: 1, owner: 1), Note(id: 2, owner: 1)])
      try tx.insert(Remark(id: 1, note: 1, reader: 2))
    }
    stack = UndoStack(store, merging: .zero)
  }

  /// Undoes in vain: nothing changes and the step stays.
  private func refused(_ direction: () throws -> UndoReport?) throws -> StoreError? {
    let (before, version, steps) = (store.content, store.version, stack.stepCount)
    let error = #expect(throws: StoreError.self) { try direction() }
    #expect(store.content == before)
    #expect(store.version == version)
    #expect(stack.stepCount == steps)
    return error
  }

  @Test
  func `an undo that violates a unique property changes nothing, and succeeds when the value is free again`()
    throws
  {
    try store.write(origin: "ui") { tx in try tx.update(Owner.self, 1) { $0.name = "Anna" } }
    try store.write { tx in try tx.update(Owner.self, 2) { $0.name = "Ann" } }
    #expect(try refused({ try stack.undo() })?.code == StoreError.uniqueViolation)
    #expect(stack.canUndo)
    try store.write { tx in try tx.update(Owner.self, 2) { $0.name = "Ben" } }
    #expect(try stack.undo()?.objectCount == 1)
    #expect(store.content.owners.map(\.name) == ["Ann", "Ben"])
  }

  @Test func `an undo whose link target is deleted changes nothing`() throws {
    try store.write(origin: "ui") { tx in try tx.delete(Remark.self, 1) }
    try store.write { tx in try tx.delete(Note.self, 1) }
    let error = try refused({ try stack.undo() })
    #expect(error?.code == StoreError.missingLinkTarget)
    #expect(error?.entity == "Remark")
    #expect(error?.id == "1")
  }

  @Test func `a step that cannot be undone does not block older steps once it is forgotten`() throws {
    try store.write(origin: "ui") { tx in try tx.update(Owner.self, 1) { $0.name = "Anna" } }
    try store.write(origin: "ui") { tx in try tx.delete(Remark.self, 1) }
    try store.write { tx in try tx.delete(Note.self, 1) }
    _ = try refused { try stack.undo() }
    stack.forgetUndo()
    #expect(stack.stepCount == 1 && stack.canUndo && stack.objectCount == 1)
    #expect(try stack.undo()?.objectCount == 1)
    #expect(store.content.owners.first?.name == "Ann")
    stack.forgetRedo()
    #expect(stack.stepCount == 0 && !stack.canRedo && stack.objectCount == 0)
    stack.forgetUndo()
    stack.forgetRedo()
    #expect(try stack.undo() == nil && stack.redo() == nil)
  }

  @Test func `a redo that fails changes nothing, and can be repeated`() throws {
    try store.write(origin: "ui") { tx in try tx.insert(Owner(id: 3, name: "Cid")) }
    try stack.undo()
    try store.write { tx in try tx.insert(Owner(id: 4, name: "Cid")) }
    #expect(try refused({ try stack.redo() })?.code == StoreError.uniqueViolation)
    #expect(stack.canRedo)
    try store.write { tx in try tx.delete(Owner.self, 4) }
    try stack.redo()
    #expect(store.content.owners.map(\.name) == ["Ann", "Ben", "Cid"])
  }

  @Test func `an undo that fails does not take the next commit for its own`() throws {
    try store.write(origin: "ui") { tx in try tx.update(Owner.self, 1) { $0.name = "Anna" } }
    try store.write { tx in try tx.update(Owner.self, 2) { $0.name = "Ann" } }
    _ = try refused({ try stack.undo() })
    try store.write(origin: "ui.undo") { tx in try tx.update(Owner.self, 2) { $0.name = "Ben" } }
    #expect(stack.canUndo && !stack.canRedo)
    try stack.undo()
    #expect(store.content.owners.map(\.name) == ["Ann", "Ben"])
  }

  @Test func `an undo inside a write is nestedWrite`() throws {
    try store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
    try store.write { _ in
      #expect { try stack.undo() } throws: { StoreError.nestedWrite ~= $0 }
    }
    #expect(stack.canUndo)
  }

  @Test func `an undo on a closed store is closed`() throws {
    try store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
    store.close()
    #expect(try refused({ try stack.undo() })?.code == StoreError.closed)
  }

  @Test func `an undo whose task was cancelled leaves the step`() async throws {
    try await store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
    let stack = stack
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await stack.undo()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stack.canUndo)
  }
}
