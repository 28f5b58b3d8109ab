import LiveStore
import LiveStoreObservation
import Testing

private struct Author: Entity {
  let id: Int
  var name: String
  static let schema = Schema<Author> { \.name }
}

@Suite struct `Undo of reserved entities` {
  @Test @MainActor func `undo cannot write to a reserved entity`() throws {
    let store = try Store(Author.self)
    let undo = UndoStack(store)
    try store.write(origin: "ui") { tx in try tx.insert(Author(id: 1, name: "Ann")) }
    _ = try store.reserveWrites(to: [Author.self])
    let error = #expect(throws: StoreError.self) { try undo.undo() }
    #expect(error?.code == StoreError.readOnly)
    #expect(store[Author.self, 1] != nil)
  }
}
