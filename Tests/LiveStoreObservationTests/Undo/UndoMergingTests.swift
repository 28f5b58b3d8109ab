import LiveStore
import LiveStoreObservation
import Synchronization
import TestSupport
import Testing

/// Which commits are one undo step, and which are recorded at all.
@MainActor @Suite struct UndoMergingTests {
  /// A clock that stands until it is set.
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
  }

  private let store: Store
  private let clock = Clock()
  private let stack: UndoStack
  private let note: LiveObject<Note>

  init() throws {
    store = try makeNoteStore()
    try store.write { tx in
      try tx.insert(contentsOf: (1...2).map { Note(id: $0, title: "note \($0)") })
      try tx.insert(Label(id: 1, name: "label"))
    }
    stack = UndoStack(
      store, .everything(except: ["sync"]), merging: .seconds(1), now: { [clock] in clock.now })
    note = LiveObject(store, Note.self, 1)
  }

  /// Bug: one undo step for each typed letter of a text field that is bound to the store.
  ///
  /// Cause: each commit was a step.
  /// Mend: commits that edit one property of one object within a while are one step.
  @Test func `what is typed into a bound text field is one step`() throws {
    for count in 1...5 {
      note[\.title] = String("hello".prefix(count))
      clock.advance(.milliseconds(900))
    }
    #expect(note.title == "hello" && stack.stepCount == 1)
    try undo()
    #expect(note.title == "note 1" && !stack.canUndo)
    try redo()
    #expect(note.title == "hello")
    // An undone and redone step is closed.
    note[\.title] = "hello!"
    #expect(stack.stepCount == 2)
  }

  @Test func `another step begins after the merging interval`() throws {
    note[\.title] = "a"
    clock.advance(.seconds(1))
    note[\.title] = "ab"
    #expect(stack.stepCount == 2)
    try undo()
    #expect(note.title == "a")
  }

  @Test func `an edit of another property, another object or more than that is another step`() throws {
    note[\.title] = "a"
    try store.write { tx in try tx.update(Note.self, 2) { $0.title = "b" } }
    try store.write { tx in try tx.update(Label.self, 1) { $0.name = "c" } }
    note[\.title] = "ab"
    try store.write { tx in
      try tx.update(Note.self, 1) { $0.title = "abc" }
      try tx.update(Note.self, 2) { $0.title = "abc" }
    }
    try store.write { tx in try tx.update(Note.self, 1) { $0.title = "abcd" } }
    try store.write { tx in try tx.delete(Note.self, 1) }
    try store.write { tx in try tx.insert(Note(id: 1, title: "again")) }
    note[\.title] = "again!"
    note[\.title] = "again!!"
    #expect(stack.stepCount == 9)
    try undo()
    #expect(note.title == "again")
  }

  @Test func `what others wrote in between begins another step, which does not undo it`() throws {
    note[\.title] = "a"
    try store.write(origin: "sync") { tx in try tx.update(Note.self, 1) { $0.title = "theirs" } }
    note[\.title] = "theirs, mine"
    #expect(stack.stepCount == 2)
    try undo()
    #expect(note.title == "theirs")
  }

  @Test func `groups are steps of their own`() throws {
    note[\.title] = "a"
    stack.group("Group") { note[\.title] = "ab" }
    note[\.title] = "abc"
    #expect(stack.stepCount == 3)
    try undo()
    #expect(note.title == "ab" && stack.undoName == "Group")
  }

  @Test func `typing that is deleted again leaves no step`() throws {
    note[\.title] = "note 1!"
    note[\.title] = "note 1"
    #expect(!stack.canUndo)
    note[\.title] = "b"
    #expect(stack.stepCount == 1)
  }

  /// Bug: two commands within a second were one step, so that one undo reverted both.
  ///
  /// Cause: merging was the default.
  @Test func `every commit is a step unless merging is asked for`() throws {
    for isRecording in [false, true] {
      let stack = isRecording ? UndoStack(store, recording: .origins(["ui"])) : UndoStack(store)
      let title = note.title
      note[\.title] = "a"
      note[\.title] = "ab"
      #expect(stack.stepCount == 2)
      try stack.undo()
      #expect(note.title == "a")
      try stack.undo()
      #expect(note.title == title)
    }
  }

  @Test(arguments: [
    (UndoRecording.origins(["ui"]), ["ui"], "ui.undo"),
    (.origins(["ui", "script"]), ["ui", "script"], "undo"),
    (.everything(), [nil, "ui", "script", "sync"], "undo"),
    (.everything(except: ["sync"]), [nil, "ui", "script"], "undo"),
  ])
  func `a stack records what it is asked to, and never its own undos`(
    recording: UndoRecording, recorded: [String?], origin: String
  ) throws {
    let stack = UndoStack(store, recording: recording)
    #expect(stack.undoOrigin == origin)
    for (id, origin) in [nil, "ui", "script", "sync"].enumerated() {
      try store.write(origin: origin) { tx in try tx.insert(Label(id: 100 + id, name: origin ?? "none")) }
    }
    #expect(stack.stepCount == recorded.count)
    let start = store.version
    while try stack.undo() != nil {}
    let left = store.content.labels.filter { $0.id >= 100 }.map(\.name)
    #expect(Set(left) == Set(["none", "ui", "script", "sync"]).subtracting(recorded.map { $0 ?? "none" }))
    #expect(store.version.number == start.number + UInt64(recorded.count))
    while try stack.redo() != nil {}
    #expect(store.content.labels.count { $0.id >= 100 } == 4)
  }

  @Test func `a repository's writes are undone by the origin it is given`() async throws {
    let stack = UndoStack(store, merging: .zero)
    try await StoreRepository<Label>(store).insert(Label(id: 8, name: "unrecorded"))
    let labels = StoreRepository<Label>(store, origin: "ui")
    try await labels.insert(Label(id: 9, name: "recorded"))
    try await labels.upsert(Label(id: 9, name: "again"))
    try await labels.update(9) { $0.name = "and again" }
    try await labels.delete(9)
    #expect(stack.stepCount == 4)
    while try await stack.undo() != nil {}
    #expect(store.snapshot()[Label.self, 9] == nil && store.snapshot()[Label.self, 8] != nil)
  }

  private func undo() throws { #expect(try stack.undo() != nil) }
  private func redo() throws { #expect(try stack.redo() != nil) }
}
