import Foundation
import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private struct Refused: Error, Equatable {}

@Suite(.timeLimit(.minutes(10))) struct `A repository` {
  @Test func `a repository finds what was inserted`() async throws {
    let books = try await repository(Book(2, "Momo"), Book(1, "Emil"))
    #expect(try await books.find(1) == Book(1, "Emil"))
    #expect(try await books.find(3) == nil)
    #expect(try await books.findAll().map(\.id) == [2, 1])
    #expect(try await books.count() == 2)
  }

  @Test func `a repository refuses an id that it has`() async throws {
    let books = try await repository(Book(1, "Momo"))
    let error = try await #require(throws: StoreError.self) { try await books.insert(Book(1, "Emil")) }
    #expect(error.code == StoreError.duplicateID)
    #expect(error.entity == "Book")
    #expect(error.id == "1")
    #expect(try await books.findAll() == [Book(1, "Momo")])
  }

  @Test func `a repository upserts an object in its place`() async throws {
    let books = try await repository(Book(1, "Momo"), Book(2, "Emil"))
    #expect(try await books.upsert(Book(1, "Jim")) == false)
    #expect(try await books.upsert(Book(3, "Krabat")))
    #expect(try await books.findAll().map(\.title) == ["Jim", "Emil", "Krabat"])
  }

  @Test func `a repository updates an object and returns it`() async throws {
    let books = try await repository(Book(1, "Momo"), Book(2, "Emil"))
    let lent = try await books.update(1) { $0.isLent = true }
    #expect(lent == Book(1, "Momo", isLent: true))
    #expect(try await books.findAll() == [lent, Book(2, "Emil")])
  }

  @Test func `a repository keeps nothing of an update that fails`() async throws {
    let books = try await repository(Book(1, "Momo"), Book(2, "Emil"))
    let missing = try await #require(throws: StoreError.self) {
      try await books.update(3) { $0.isLent = true }
    }
    #expect(missing.code == StoreError.notFound)
    #expect(missing.id == "3")
    let changed = try await #require(throws: StoreError.self) {
      try await books.update(1) { $0 = Book(7, "Jim") }
    }
    #expect(changed.code == StoreError.identifierChanged)
    #expect(changed.id == "1")
    await #expect(throws: Refused()) {
      try await books.update(1) { book in
        book.isLent = true
        throw Refused()
      }
    }
    #expect(try await books.findAll() == [Book(1, "Momo"), Book(2, "Emil")])
  }

  @Test func `a repository deletes an object, and puts it last when it is inserted again`() async throws {
    let books = try await repository(Book(1), Book(2), Book(3))
    #expect(try await books.delete(1))
    #expect(try await books.delete(1) == false)
    #expect(try await books.findAll().map(\.id) == [2, 3])
    try await books.insert(Book(1))
    #expect(try await books.findAll().map(\.id) == [2, 3, 1])
  }

  @Test func `a repository enforces unique properties`() async throws {
    let books = try await repository(Book(1, isbn: "a"), Book(2, isbn: "b"), Book(3), Book(4))
    func expectViolation(_ id: String, _ body: () async throws -> Void) async throws {
      let error = try await #require(throws: StoreError.self) { try await body() }
      #expect(error.code == StoreError.uniqueViolation)
      #expect(error.id == id)
      #expect(error.property == "isbn")
      #expect(error.value == "\"a\"" || error.value == "a")
    }
    try await expectViolation("5") { try await books.insert(Book(5, isbn: "a")) }
    try await expectViolation("2") { try await books.upsert(Book(2, isbn: "a")) }
    try await expectViolation("3") { try await books.update(3) { $0.isbn = "a" } }
    #expect(try await books.findAll().map(\.isbn) == ["a", "b", nil, nil])
    try await books.upsert(Book(1, "Momo", isbn: "a"))
    try await books.update(1) { $0.isbn = "c" }
    try await books.insert(Book(5, isbn: "a"))
  }

  @Test func `a repository throws the error of a filter`() async throws {
    let books = try await repository(Book(1, isbn: "a"), Book(2, isbn: "b"))
    let query = Book.where { !$0.title.matches(CostlyPattern.pattern) }
    #expect(try await books.findAll(query).map(\.id) == [1, 2])
    #expect(try await books.count(query) == 2)
    try await books.insert(Book(3, CostlyPattern.text))
    func expectFailure(_ body: () async throws -> Void) async throws {
      let error = try await #require(throws: StoreError.self) { try await body() }
      #expect(error.code == StoreError.filterTooExpensive)
    }
    try await expectFailure { _ = try await books.findAll(query) }
    try await expectFailure { _ = try await books.count(query) }
    let page = Book.sorted(by: \.title).limit(10).where { !$0.title.matches(CostlyPattern.pattern) }
    try await expectFailure { _ = try await books.findAll(page) }
    try await expectFailure { _ = try await books.count(page) }
    try await expectFailure { _ = try await books.count(query.distinct(by: \.title)) }
    try await expectFailure { for try await _ in books.changes(of: query) {} }
  }

  @Test func `a repository filters, sorts and pages, with ties in insertion order`() async throws {
    let books = try await repository(
      Book(5, "b"), Book(4, "a", isLent: true), Book(3, "c"), Book(2, "a"), Book(1, "b"))
    #expect(try await books.findAll(Book.where { $0.isLent == false }).map(\.id) == [5, 3, 2, 1])
    #expect(try await books.findAll(Book.sorted(by: \.title)).map(\.id) == [4, 2, 5, 1, 3])
    #expect(try await books.findAll(Book.sorted(by: \.title, .descending)).map(\.id) == [3, 5, 1, 4, 2])
    let page = Book.sorted(by: \.title).offset(1).limit(3)
    #expect(try await books.findAll(page).map(\.id) == [2, 5, 1])
    #expect(try await books.count(page) == 3)
    #expect(try await books.findAll(page.sorted(by: \.id)).map(\.id) == [1, 2, 5])
    #expect(try await books.findAll(page.where { $0.title == "b" }).map(\.id) == [5, 1])
    #expect(try await books.findAll(Book.sorted(by: \.id).distinct(by: \.title)).map(\.id) == [1, 2, 3])
    #expect(try await books.findAll(Book.filter { $0.id > 3 }).map(\.id) == [5, 4])
    #expect(try await books.findAll(page.limit(0)).isEmpty)
    #expect(try await books.findAll(Book.all.offset(9)).isEmpty)
  }

  @Test func `a repository reads links as values`() async throws {
    let books = try await repository(Book(1), Book(2), Book(3, sequels: [Ref(1), Ref(2)]))
    #expect(try await books.findAll(Book.where { $0.sequels.contains(Ref(2)) }).map(\.id) == [3])
    #expect(try await books.findAll(Book.where { $0.author == nil }).count == 3)
  }

  @Test func `a repository keeps ignored properties as given`() async throws {
    let books = try await repository(Book(1, "Momo", note: "torn"))
    try await books.upsert(Book(1, "Momo", note: "mended"))
    #expect(try await books.find(1)?.note == "mended")
  }

  @Test func `a repository loses none of many concurrent updates`() async throws {
    let books = try await repository(Book(1))
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<25 { try await books.update(1) { $0.title += "x" } } }
      }
      try await group.waitForAll()
    }
    #expect(try await books.find(1)?.title.count == 200)
  }
}

private struct Careless: Entity {
  let id: Int
  var forgotten = 0
  static let schema = Schema<Careless> {}
}

private struct Unnamed: Entity {
  let id: Int
  var double: Int { id * 2 }
  static let schema = Schema<Unnamed> { \.double.description }
}

@Suite struct `A wrong schema` {
  @Test func `a schema that misses a property is invalidSchema at a repository's first insert`() async throws
  {
    let objects = StoreRepository<Careless>(try Store(Careless.self))
    let error = try await #require(throws: StoreError.self) { try await objects.insert(Careless(id: 1)) }
    #expect(error.code == StoreError.invalidSchema)
    #expect(throws: error) { try StoreRepository(Careless(id: 1)) }
  }

  @Test func `a wrong schema fails a repository's initializer as it fails a store's`() throws {
    let error = try #require(throws: StoreError.self) { try Store(Unnamed.self) }
    #expect(throws: error) { try StoreRepository<Unnamed>() }
  }
}

@Suite struct `A repository with a store of its own` {
  @Test func `a repository with objects is filled in order, or not made`() async throws {
    #expect(try await StoreRepository(Writer(id: 2), Writer(id: 1)).findAll().map(\.id) == [2, 1])
    let error = try #require(throws: StoreError.self) { try StoreRepository(Writer(id: 2), Writer(id: 2)) }
    #expect(error.code == StoreError.duplicateID)
  }

  @Test func `a repository keeps the object that it has when it is given an equal value`() async throws {
    let writers = try StoreRepository(Writer(id: 1, name: "\u{e9}"))
    try await writers.upsert(Writer(id: 1, name: "e\u{301}"))
    try await writers.update(1) { $0.name = "e\u{301}" }
    #expect(try await writers.find(1)?.name.unicodeScalars.count == 1)
  }
}
