import LiveStore
import LiveStoreObservation
import Testing

/// The example of `Repository`, word for word.
private struct Library {
  let books: any Repository<Book>

  func lend(_ id: Book.ID) async throws {
    try await books.update(id) { $0.isLent = true }
  }
  func page(_ number: Int) async throws -> [Book] {
    try await books.findAll(Book.where { !$0.isLent }.sorted(by: \.title).offset(number * 20).limit(20))
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The examples of repositories` {
  @Test func `the examples work with a repository of any kind in a stored property`() async throws {
    let store = try Store(Book.self, Writer.self)
    let library = Library(books: StoreRepository(store))
    for id in 1...30 { try await library.books.insert(Book(id, id % 2 == 0 ? "even" : "odd")) }
    try await library.lend(2)
    #expect(try await library.page(1).map(\.id) == [13, 15, 17, 19, 21, 23, 25, 27, 29])
  }

  @Test func `the examples observe a store`() async throws {
    let books = StoreRepository<Book>(try Store(Book.self, Writer.self))
    try await books.insert(Book(1, "Momo"))
    var titles: [[String]] = []
    for try await change in books.changes(of: Book.sorted(by: \.title)) {
      if case .update(let books, let difference) = change {
        titles.append(books.map(\.title))
        #expect(difference.insertions == [0])
        break
      }
      try await books.insert(Book(2, "Emil"))
    }
    #expect(titles == [["Emil", "Momo"]])
  }

  @Test func `the examples give changes of a repository of one's own`() async throws {
    let (before, after) = ([Book(1), Book(2)], [Book(2, "Momo"), Book(3)])
    let difference = RepositoryDifference(from: before, to: after)
    #expect(difference.deletions == [0] && difference.insertions == [1] && difference.moves.isEmpty)
    #expect(difference.modifications.map(\.newIndex) == [0])
    let changes = RepositoryChanges {
      let (events, source) = AsyncStream.makeStream(of: RepositoryChange<Book>.self)
      source.yield(.initial(before))
      source.yield(.update(after, difference))
      source.finish()
      return {
        var iterator = events.makeAsyncIterator()
        return await iterator.next(isolation: nil)
      }
    }
    for _ in 0..<2 {
      var counts: [Int] = []
      for try await change in changes { counts.append(change.elements.count) }
      #expect(counts == [2, 2])
    }
  }
}
