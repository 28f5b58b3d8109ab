import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private struct Oops: Error {}

@Suite struct `Groups, names and limits of steps` {
  private let store: Store
  private let stack: UndoStack

  init() throws {
    store = try makeNoteStore()
    try store.write { tx in
      try tx.insert(contentsOf: (1...3).map { Note(id: $0, title: "note \($0)") })
    }
    stack = UndoStack(store, merging: .zero)
  }

  private func rename(_ id: Int, _ title: String, by origin: String? = "ui") throws {
    try store.write(origin: origin) { tx in try tx.update(Note.self, id) { $0.title = title } }
  }

  private var titles: [String] { store.content.notes.map(\.title) }

  @Test func `the commits of a group are one step, with a name`() throws {
    let before = store.content
    try stack.group("Rename Post") {
      try rename(1, "a")
      try rename(1, "b")
      try rename(2, "c")
      try store.write(origin: "ui") { tx in try tx.delete(Note.self, 3) }
    }
    let after = store.content
    #expect(stack.stepCount == 1)
    #expect(stack.objectCount == 3)
    #expect(stack.undoName == "Rename Post")
    #expect(stack.redoName == nil)
    let version = store.version
    #expect(try stack.undo()?.name == "Rename Post")
    #expect(store.version.number == version.number + 1)
    #expect(store.content == before)
    #expect(stack.undoName == nil)
    #expect(stack.redoName == "Rename Post")
    #expect(try stack.redo()?.name == "Rename Post")
    #expect(store.content == after)
  }

  @Test func `an asynchronous group holds what is written across suspensions`() async throws {
    let before = store.content
    let count = try await stack.group("Both") {
      try await store.write(origin: "ui") { tx in try tx.delete(Note.self, 1) }
      await Task.yield()
      try await store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
      return 2
    }
    #expect(count == 2)
    #expect(stack.stepCount == 1)
    try await stack.undo()
    #expect(store.content == before)
  }

  @Test func `a group may begin in one place and end in another, as a drag does`() throws {
    stack.beginGroup("Drag")
    for x in 0..<20 { try rename(1, "\(x)") }
    #expect(stack.canUndo)
    stack.endGroup()
    try rename(2, "after")
    #expect(stack.stepCount == 2)
    try stack.undo()
    try stack.undo()
    #expect(titles == ["note 1", "note 2", "note 3"])
  }

  @Test func `groups within a group belong to it; the first name given is the step's`() throws {
    try stack.group {
      try rename(1, "a")
      try stack.group("Inner") { try rename(2, "b") }
      try stack.group("Later") { try rename(3, "c") }
    }
    #expect(stack.stepCount == 1)
    #expect(stack.undoName == "Inner")
    try rename(1, "d")
    #expect(stack.stepCount == 2)
    #expect(stack.undoName == nil)
    try stack.group("Outer") { try stack.group("Inner") { try rename(2, "e") } }
    #expect(stack.undoName == "Outer")
  }

  @Test func `a group without commits, or whose commits cancel out, is no step`() throws {
    stack.group("Nothing") {}
    #expect(!stack.canUndo)
    try stack.group("There and back") {
      try rename(1, "x")
      #expect(stack.canUndo)
      try store.write(origin: "ui") { tx in try tx.insert(Note(id: 9)) }
      try rename(1, "note 1")
      try store.write(origin: "ui") { tx in try tx.delete(Note.self, 9) }
    }
    #expect(!stack.canUndo)
    #expect(stack.objectCount == 0)
    try stack.group {
      try rename(1, "x")
      try rename(1, "note 1")
      try rename(2, "y")
    }
    #expect(stack.stepCount == 1)
    #expect(stack.objectCount == 1)
  }

  @Test func `an object inserted, deleted and inserted again in a group is one object`() throws {
    let before = store.content
    try stack.group {
      for round in 0..<3 {
        try store.write(origin: "ui") { tx in try tx.delete(Note.self, 2) }
        try store.write(origin: "ui") { tx in try tx.insert(Note(id: 2, title: "\(round)")) }
      }
    }
    let after = store.content
    #expect(stack.objectCount == 1)
    try stack.undo()
    #expect(store.content == before)
    try stack.redo()
    #expect(store.content == after)
    #expect(store.breach == nil)
  }

  @Test func `what others write within a group is not overwritten`() throws {
    try stack.group {
      try rename(1, "mine")
      try rename(2, "mine")
      try rename(1, "theirs", by: "sync")
      try rename(1, "mine again")
    }
    #expect(try stack.undo()?.conflicts == [])
    #expect(titles == ["theirs", "note 2", "note 3"])
    try stack.redo()
    #expect(titles == ["mine again", "mine", "note 3"])
  }

  @Test func `undo deletes an object that others deleted within a group and the group inserted again`() throws
  {
    try stack.group {
      try store.write(origin: "ui") { tx in try tx.insert(Note(id: 9)) }
      try store.write(origin: "sync") { tx in try tx.delete(Note.self, 9) }
      try store.write(origin: "ui") { tx in try tx.insert(Note(id: 9, title: "again")) }
    }
    #expect(try stack.undo()?.conflicts == [])
    #expect(store.content.notes.map(\.id) == [1, 2, 3])
  }

  @Test func `a group that throws ends with what it wrote`() throws {
    #expect(throws: Oops.self) {
      try stack.group("Half") {
        try rename(1, "a")
        throw Oops()
      }
    }
    #expect(stack.undoName == "Half")
    try rename(2, "b")
    #expect(stack.stepCount == 2)
  }

  @Test func `a group that an undo ended does not end one begun later`() throws {
    try stack.group("First") {
      try rename(1, "a")
      try stack.undo()
      stack.beginGroup("Second")
      try rename(1, "b")
    }
    try rename(2, "c")
    #expect(stack.stepCount == 1)
    #expect(stack.undoName == "Second")
    stack.endGroup()
    try rename(3, "d")
    #expect(stack.stepCount == 2)
  }

  @Test func `an undo ends the open groups, and ending them then does nothing`() throws {
    try stack.group("Outer") {
      try rename(1, "a")
      try stack.undo()
      #expect(titles[0] == "note 1")
      try rename(2, "b")
      try rename(3, "c")
    }
    #expect(stack.stepCount == 2)
    stack.endGroup()
    try rename(1, "d")
    #expect(stack.stepCount == 3)
    #expect(stack.undoName == nil)
  }

  @Test func `the oldest steps are forgotten beyond the maximum number of steps`() throws {
    let stack = UndoStack(store, maximumSteps: 2, merging: .zero)
    for title in ["a", "b", "c"] { try rename(1, title) }
    #expect(stack.stepCount == 2)
    #expect(stack.objectCount == 2)
    while try stack.undo() != nil {}
    #expect(titles[0] == "a")
    #expect(stack.stepCount == 2)
  }

  @Test func `the oldest steps are forgotten beyond the maximum number of objects, the newest never`() throws
  {
    let stack = UndoStack(store, maximumObjects: 4, merging: .zero)
    try rename(1, "a")
    try rename(1, "b")
    try store.write(origin: "ui") { tx in try tx.update(Note.all) { $0.title += "!" } }
    #expect(stack.stepCount == 2)
    #expect(stack.objectCount == 4)
    try store.write(origin: "ui") { tx in try tx.insert(contentsOf: (10..<20).map { Note(id: $0) }) }
    #expect(stack.stepCount == 1)
    #expect(stack.objectCount == 10)
    try rename(1, "c")
    #expect(stack.stepCount == 1)
    #expect(stack.objectCount == 1)
  }

  @Test func `steps to redo count until a new step empties them`() throws {
    let stack = UndoStack(store, maximumObjects: 4, merging: .zero)
    for title in ["a", "b", "c"] { try rename(1, title) }
    try stack.undo()
    try stack.undo()
    #expect(stack.stepCount == 3)
    #expect(stack.objectCount == 3)
    try rename(2, "d")
    #expect(stack.stepCount == 2)
    #expect(stack.objectCount == 2)
  }

  @Test func `clear forgets all steps, and the store stays as it is`() throws {
    try rename(1, "a")
    try rename(2, "b")
    try stack.undo()
    stack.clear()
    #expect(!stack.canUndo && !stack.canRedo)
    #expect(stack.stepCount == 0 && stack.objectCount == 0)
    #expect(titles == ["a", "note 2", "note 3"])
    try rename(3, "c")
    try stack.undo()
    #expect(titles == ["a", "note 2", "note 3"])
  }

  @Test func `what an open group writes after a clear is a step`() throws {
    try stack.group("Group") {
      try rename(1, "a")
      stack.clear()
      try rename(2, "b")
      try rename(3, "c")
    }
    #expect(stack.stepCount == 1)
    #expect(stack.undoName == "Group")
    try stack.undo()
    #expect(titles == ["a", "note 2", "note 3"])
  }
}
