import LiveStore
import TestSupport
import Testing

private struct Author: Entity, Hashable {
  let id: Int
  static let schema = Schema<Author> {}
}

private struct Book: Entity, Hashable {
  let id: Int
  var title = ""
  var pages = 0
  var author: Ref<Author>?
  var scratch = 0
  static let schema = Schema<Book> {
    \.title
    \.pages
    \.author
    Ignored(\.scratch)
  }
}

private struct Stop: Error {}

/// An update's closure edits a copy, which replaces the object when it returns. What the closure wrote to the same
/// object by another call would be overwritten without a word.
@Suite struct `Writes inside the closure of an update` {
  private let store: Store

  init() throws {
    store = try Store(Author.self, Book.self)
    try store.write { tx in
      try tx.insert(Author(id: 1))
      try tx.insert(contentsOf: [Book(id: 1, author: 1), Book(id: 2, author: 1)])
    }
  }

  /// Runs a write in the closure of an update of book 1, which must be refused; the rest of the transaction is kept.
  private func expectRefusal(_ inner: (borrowing WriteTransaction) throws -> Void) throws {
    try store.write { tx in
      let error = #expect(throws: StoreError.self) {
        try tx.update(Book.self, 1) { book in
          try inner(tx)
          book.pages = 7
        }
      }
      #expect(error?.code == StoreError.nestedWrite && error?.entity == "Book" && error?.id == "1")
      #expect(tx[Book.self, 1]?.pages != 7)
      try tx.update(Book.self, 2) { $0.pages += 1 }
    }
    #expect(store[Book.self, 2]?.pages == 1)
  }

  @Test func `an update of the same object is refused, and what it wrote stays`() throws {
    try expectRefusal { tx in try tx.update(Book.self, 1) { $0.title = "inner" } }
    #expect(store[Book.self, 1] == Book(id: 1, title: "inner", author: 1))
  }

  @Test func `an upsert of the same object inside an update is refused`() throws {
    try expectRefusal { tx in try tx.upsert(Book(id: 1, title: "upserted")) }
    #expect(store[Book.self, 1]?.title == "upserted")
  }

  @Test func `an update by query and a whole update of the same object inside an update are refused`() throws
  {
    try expectRefusal { tx in
      try tx.update(Book.where { $0.author == Ref(1) }) { $0.title = "all" }
      try tx.update(Book(id: 2))
    }
    #expect(store.fetch(Book.all).map(\.title) == ["all", ""])
  }

  @Test func `a deletion inside an update that removes a link of the same object is refused`() throws {
    try expectRefusal { tx in _ = try tx.delete(Author.self, 1) }
    #expect(store.fetch(Book.all).allSatisfy { $0.author == nil })
  }

  @Test func `a write of ignored properties alone inside an update is refused`() throws {
    try expectRefusal { tx in try tx.update(Book.self, 1) { $0.scratch = 3 } }
    #expect(store[Book.self, 1]?.scratch == 3)
  }

  @Test func `a write to the same object two closures further in is refused`() throws {
    try expectRefusal { tx in
      try tx.update(Book.self, 2) { _ in try tx.update(Book.self, 1) { $0.title = "deep" } }
    }
    #expect(store[Book.self, 1]?.title == "deep")
  }

  @Test func `an update by query whose closure writes the object that it is given is refused as a whole`()
    throws
  {
    try store.write { tx in
      let error = #expect(throws: StoreError.self) {
        try tx.update(Book.all) { book in
          book.pages = 1
          if book.id == 2 { try tx.update(Book.self, 2) { $0.title = "inner" } }
        }
      }
      #expect(error?.code == StoreError.nestedWrite && error?.id == "2")
      #expect(tx.fetch(Book.all).allSatisfy { $0.pages == 0 && $0.title.isEmpty })
    }
    #expect(store.version.number == 1)
  }

  @Test func `an update may write other objects, writes that are undone and writes of the same value`() throws
  {
    try store.write { tx in
      try tx.update(Book.self, 1) { book in
        try tx.update(Book.self, 2) { $0.title = "other" }
        try tx.insert(Book(id: 3))
        try? tx.savepoint { tx in
          try tx.update(Book.self, 1) { $0.title = "undone" }
          throw Stop()
        }
        try tx.update(Author(id: 1))
        book.title = "outer"
      }
      try tx.update(Book.self, 1) { $0.pages += 1 }
      try tx.update(Book.self, 1) { $0.pages += 1 }
    }
    #expect(store[Book.self, 1] == Book(id: 1, title: "outer", pages: 2, author: 1))
    #expect(store.fetch(Book.all).map(\.title) == ["outer", "other", ""])
  }

  @Test func `an update after one whose closure threw is accepted`() throws {
    try store.write { tx in
      #expect(throws: Stop.self) {
        try tx.update(Book.self, 1) { _ in
          try tx.update(Book.self, 1) { $0.title = "inner" }
          throw Stop()
        }
      }
      try tx.update(Book.self, 1) { $0.pages = 2 }
    }
    #expect(store[Book.self, 1] == Book(id: 1, title: "inner", pages: 2, author: 1))
  }
}
