import LiveStore
import Testing

private struct Shelf: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Shelf> { \.name }
}

private struct Book: Entity {
  let id: Int
  var pages = 0
  static let schema = Schema<Book> { \.pages }
}

@Suite("Sources that are known at run time alone")
struct ListedSourcesTests {
  private let long = Book.where { $0.pages > 100 }

  @Test("have their values at one version, at the start and after each change")
  func values() async throws {
    let store = try Store(Shelf.self, Book.self)
    let sources: [any LiveSource] = [Shelf.all, long, Book.all.count]
    let values = store.values(ofEach: sources).makeAsyncIterator()
    func check(_ values: [any Sendable]?) throws {
      let values = try #require(values)
      let shelves = try #require(values[0] as? Results<Shelf>)
      let books = try #require(values[1] as? Results<Book>)
      #expect(values.count == 3)
      #expect(shelves.version == store.version && books.version == store.version)
      #expect(shelves.map(\.id) == store.fetch(Shelf.all).map(\.id))
      #expect(books.map(\.id) == store.fetch(long).map(\.id))
      #expect(values[2] as? Int == store.count(Book.all))
    }
    try check(try values.nextIfReady())
    for id in 1...5 {
      try await store.write { tx in
        try tx.insert(Shelf(id: id))
        try tx.insert(Book(id: id, pages: id * 50))
      }
      try check(try values.nextIfReady())
      #expect(try values.nextIfReady() == nil)
    }
    try await store.write { tx in try tx.delete(Book.self, 5) }
    var waiting = values
    try check(try await waiting.next())
  }

  @Test("end when the store is closed")
  func end() async throws {
    let store = try Store(Shelf.self, Book.self)
    var values = store.values(ofEach: [Shelf.all, long]).makeAsyncIterator()
    #expect(try await values.next()?.count == 2)
    store.close()
    #expect(try await values.next() == nil)
    #expect(try values.nextIfReady() == nil)
  }

  @Test("throw the error of one of them")
  func failure() throws {
    let store = try Store(Shelf.self)
    let values = store.values(ofEach: [Shelf.all, long]).makeAsyncIterator()
    #expect { _ = try values.nextIfReady() } throws: { ($0 as? StoreError)?.code == .unknownEntity }
  }

  @Test("are one at least: an empty list ends the process")
  func none() async throws {
    await #expect(processExitsWith: .failure) { _ = try Store(Shelf.self).values(ofEach: []) }
  }
}
