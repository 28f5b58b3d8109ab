import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

private struct Broken: Entity {
  let id: Int
  var friend: Ref<Broken>?
  static let schema = Schema<Broken> { \.friend }
}

@Suite(.timeLimit(.minutes(10))) struct `Changes of a repository` {
  @Test func `changes of a repository begin with the results and continue from there`() async throws {
    let books = try await repository(Book(1, "a"), Book(2, "c"))
    var changes = books.changes(of: Book.sorted(by: \.title)).makeAsyncIterator()
    let first = try #require(try await changes.next())
    guard case .initial = first else { throw Mismatch("\(first)") }
    #expect(first.elements.map(\.id) == [1, 2])
    #expect(first.difference == nil)
    try await books.insert(Book(3, "b"))
    let second = try #require(try await changes.next())
    #expect(second.elements.map(\.id) == [1, 3, 2])
    #expect(second.difference?.insertions == [1])
    try await books.update(3) { $0.title = "d" }
    let third = try #require(try await changes.next())
    #expect(third.elements.map(\.id) == [1, 2, 3])
    #expect(third.difference?.modifications.map(\.oldIndex) == [1])
    #expect(third.difference?.modifications.map(\.newIndex) == [2])
    #expect(third.difference?.modifications.first?[\.title]?.old == "b")
    #expect(third.difference?.moves.map(\.id) == [3])
    try await books.delete(1)
    let fourth = try #require(try await changes.next())
    #expect(fourth.difference?.deletions == [0])
    #expect(fourth.difference?.insertions == [])
  }

  @Test func `changes of a repository are one event for everything that a slow consumer missed`() async throws
  {
    let books = try await repository(Book(1), Book(2), Book(3))
    var changes = books.changes().makeAsyncIterator()
    _ = try await changes.next()
    try await books.insert(Book(4))
    try await books.update(2) { $0.title = "passing" }
    try await books.update(2) { $0.title = "" }
    try await books.delete(1)
    try await books.insert(Book(5))
    try await books.delete(5)
    try await books.delete(3)
    try await books.insert(Book(3))
    let change = try #require(try await changes.next())
    #expect(change.elements.map(\.id) == [2, 4, 3])
    #expect(change.difference?.deletions == [0])
    #expect(change.difference?.insertions == [1])
    #expect(change.difference?.modifications.isEmpty == true)
  }

  @Test func `changes of a repository report nothing that stayed as it was`() async throws {
    let books = try await repository(Book(1, "Momo"), Book(2, isLent: true))
    var changes = books.changes(of: Book.where { $0.isLent == false }).makeAsyncIterator()
    _ = try await changes.next()
    try await books.upsert(Book(1, "Momo", note: "read"))
    try await books.update(2) { $0.title = "Emil" }
    try await books.delete(9)
    await #expect(throws: StoreError.self) { try await books.insert(Book(1)) }
    try await books.insert(Book(3))
    let change = try #require(try await changes.next())
    #expect(change.difference?.insertions == [1])
    #expect(change.difference?.modifications.isEmpty == true)
  }

  @Test func `changes of a repository wake each waiting iterator`() async throws {
    let books = try await repository()
    let sequence = books.changes()
    let received = [Recorder<Int>(), Recorder<Int>()]
    let tasks = received.map { received in
      Task { for try await change in sequence { received.append(change.elements.count) } }
    }
    for recorder in received { await recorder.reached(1) }
    for id in 0..<3 {
      try await books.insert(Book(id))
      for recorder in received { await recorder.reached(id + 2) }
    }
    for task in tasks {
      task.cancel()
      try await task.value
    }
    #expect(received.map(\.events) == [[0, 1, 2, 3], [0, 1, 2, 3]])
  }

  @Test func `changes of a repository throw an error once and end`() async throws {
    let broken = StoreRepository<Broken>(try Store(Item.self))
    var changes = broken.changes(of: Broken.sorted(by: \.friend.friend.id)).makeAsyncIterator()
    let error = try await #require(throws: StoreError.self) { _ = try await changes.next() }
    #expect(error.code == StoreError.unknownEntity)
    let next = try await changes.next()
    #expect(next == nil)
  }

  @Test func `changes of a repository end when its store is closed`() async throws {
    let store = try Store(Book.self, Writer.self)
    let books = StoreRepository<Book>(store)
    var changes = books.changes().makeAsyncIterator()
    _ = try await changes.next()
    store.close()
    let next = try await changes.next()
    #expect(next == nil)
    await #expect(throws: StoreError.self) { try await books.insert(Book(1)) }
  }

  @Test func `changes of a repository hold nothing after their task is cancelled`() async throws {
    let received = Recorder<Int>()
    weak let seen: Store?
    let task: Task<Void, any Error>
    do {
      let store = try Store(Writer.self)
      seen = store
      let writers = StoreRepository<Writer>(store)
      try await writers.insert(Writer(id: 1))
      let sequence = writers.changes()
      task = Task { for try await change in sequence { received.append(change.elements.count) } }
      await received.reached(1)
    }
    task.cancel()
    try await task.value
    while seen != nil && !Task.isCancelled { await Task.yield() }
    #expect(seen == nil)
    #expect(received.events == [1])
  }
}
