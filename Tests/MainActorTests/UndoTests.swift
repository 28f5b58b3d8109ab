import LiveStore
import LiveStoreObservation
import Observation
import Testing

@Observable final class NoteEditor {
  let undoStack: UndoStack
  private let store: Store

  init(store: Store) {
    self.store = store
    undoStack = UndoStack(store, merging: .zero)
  }

  var undoTitle: String { undoStack.undoName.map { "Undo \($0)" } ?? "Undo" }

  func rename(_ id: Int, to title: String) async throws {
    try await undoStack.group("Rename Note") {
      try await store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
    }
  }

  func renameNow(_ id: Int, to title: String) throws {
    try undoStack.group("Rename Note") {
      try store.write(origin: "ui") { tx in try tx.update(Note.self, id) { $0.title = title } }
    }
  }

  func undoNow() throws { try undoStack.undo() }
}

@Suite struct UndoTests {
  @Test func `an editor on the main actor undoes and redoes`() async throws {
    let store = try Store(Note.self)
    try await store.write { tx in try tx.insert(Note(id: 1, title: "one")) }
    let editor = NoteEditor(store: store)
    #expect(editor.undoTitle == "Undo")
    try await editor.rename(1, to: "two")
    try editor.renameNow(1, to: "three")
    #expect(editor.undoTitle == "Undo Rename Note")
    try await editor.undoStack.undo()
    try editor.undoNow()
    #expect(store.snapshot()[Note.self, 1]?.title == "one")
    try await editor.undoStack.redo()
    #expect(store.snapshot()[Note.self, 1]?.title == "two")
    #expect(editor.undoStack.canRedo)
  }
}
