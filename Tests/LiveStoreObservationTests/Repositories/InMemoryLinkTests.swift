import LiveStore
import LiveStoreObservation
import Testing

/// A query over links and what it is.
private struct Linked: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let query: Query<Book>

  init(_ description: String, _ query: Query<Book>) {
    testDescription = description
    self.query = query
  }
}

private let linked = [
  Linked("a filter by a linked value", Book.where { $0.author.name == "Ende" }),
  Linked("one behind an or", Book.where { $0.isLent || !($0.author.name == "Ende") }),
  Linked("a condition on a list", Book.where { $0.sequels.contains { $0.title == "b" } }),
  Linked("the length of a list", Book.where { $0.sequels.objects.count > 1 }),
  Linked("backlinks", Book.where { $0.linking(\Book.sequels).count > 0 }),
  Linked("a sort by a linked value", Book.all.sorted(by: \.author.name)),
  Linked("a filter of a window", Book.all.limit(2).where { $0.author.name == "Ende" }),
  Linked("distinct linked values", Book.all.distinct(by: \.author.name)),
  Linked("tracking", Book.all.tracking(\.author.name)),
  Linked("an object's list", Book.in(\Book.sequels, of: 3)),
]

@Suite struct `A dictionary of objects` {
  @Test(arguments: linked)
  fileprivate func `answers no query over links`(_ linked: Linked) async throws {
    let books = try InMemoryRepository(Book(1), Book(2), Book(3, sequels: [Ref(1)]))
    let error = try await #require(throws: StoreError.self) { _ = try await books.findAll(linked.query) }
    #expect(error.code == StoreError.unknownEntity)
    #expect(error.entity == "Book")
    #expect(error.message.contains(linked.query.description.contains("sequels") ? "sequels" : "author"))
    await #expect(throws: error) { try await books.count(linked.query) }
    var changes = books.changes(of: linked.query).makeAsyncIterator()
    let told = await #expect(throws: StoreError.self) { _ = try await changes.next() }
    #expect(told == error)
  }

  @Test func `does not follow links when it writes`() async throws {
    let books = try InMemoryRepository(Book(1, author: Ref(7)), Book(2, sequels: [Ref(1), Ref(9)]))
    #expect(try await books.delete(1))
    #expect(try await books.find(2)?.sequels.ids == [1, 9])
    let stored = StoreRepository<Book>(try Store(Book.self, Writer.self))
    let error = try await #require(throws: StoreError.self) {
      try await stored.insert(Book(1, author: Ref(7)))
    }
    #expect(error.code == StoreError.missingLinkTarget)
  }

  @Test func `is filled in order, or not made`() async throws {
    #expect(try await InMemoryRepository(Book(2), Book(1)).findAll().map(\.id) == [2, 1])
    let error = try #require(throws: StoreError.self) { try InMemoryRepository(Book(2), Book(2)) }
    #expect(error.code == StoreError.duplicateID)
  }
}
