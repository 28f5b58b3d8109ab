import LiveStore
import Testing

private struct Shelf: Entity {
  let id: String
  static let schema = Schema<Shelf> {}
}

private struct Book: Entity {
  var id: String
  var title = ""
  var shelf: Ref<Shelf>?
  static let schema = Schema<Book> {
    Property(\.title, .unique)
    Relation(\.shelf, onDelete: .restrict)
  }
}

@Suite struct `Messages about objects` {
  /// An id as a client may send it: of two lines and ten thousand letters.
  private static let id = "\n" + String(repeating: "x", count: 10_000)

  /// Bug: the messages had whole ids, and their ends of lines.
  @Test func `messages show the beginning of an id or a value in one line, and errors have it whole`() throws
  {
    let id = Self.id
    let store = try Store(Shelf.self, Book.self)
    try store.write { tx in
      try tx.insert(Shelf(id: id))
      try tx.insert(Book(id: id, title: id, shelf: Ref(id)))
    }
    let edits: [(StoreError.Code, (inout WriteTransaction) throws -> Void)] = [
      (.duplicateID, { tx in try tx.insert(Shelf(id: id)) }),
      (.notFound, { tx in try tx.update(Shelf.self, id + "y") { _ in } }),
      (.identifierChanged, { tx in try tx.update(Book.self, id) { $0.id += "y" } }),
      (.uniqueViolation, { tx in try tx.insert(Book(id: "b", title: id)) }),
      (.missingLinkTarget, { tx in try tx.update(Book.self, id) { $0.shelf = Ref(id + "y") } }),
      (.deleteRestricted, { tx in try tx.delete(Shelf.self, id) }),
    ]
    for (code, edit) in edits {
      let error = try #require(throws: StoreError.self) { try store.write { tx in try edit(&tx) } }
      #expect(error.code == code)
      #expect(error.message.utf8.count < 1_200, "\(code)")
      #expect(!error.message.contains("\n"), "\(code)")
      #expect([error.id, error.value].contains { ($0?.utf8.count ?? 0) > 10_000 }, "\(code)")
    }
  }
}
