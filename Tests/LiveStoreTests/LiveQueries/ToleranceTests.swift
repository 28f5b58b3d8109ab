import LiveStore
import Synchronization
import TestSupport
import Testing

private struct Book: Entity {
  let id: Int
  var pages = 0
  static let schema = Schema<Book> { \.pages }
}

@Suite("Observers with a tolerance")
struct ToleranceTests {
  private let store: Store
  private let long = Book.where { $0.pages > 100 }

  init() throws { store = try Store(Book.self) }

  /// How many versions the observer of long books is behind the newest, without a poll.
  private var lag: Int? { store.inspection.queries.first { $0.text.contains("pages") }?.observers.first?.lag }

  private func insert(_ ids: ClosedRange<Int>, pages: Int = 0) throws {
    for id in ids { try store.write { tx in try tx.insert(Book(id: id, pages: pages)) } }
  }

  @Test("cost a commit nothing but its record: no query is looked up until one of them asks")
  func recorded() throws {
    let values = store.values(ofEach: [long], tolerance: .seconds(3_600)).makeAsyncIterator()
    _ = try values.nextIfReady()
    #expect(lag == 0)
    try insert(1...3)
    #expect(lag == 3)
    try insert(4...4, pages: 200)
    let found = try values.nextIfReady()
    #expect((found?[0] as? Results<Book>)?.map(\.id) == [4])
    #expect(lag == 0)
    try insert(5...6)
    #expect(lag == 2)
  }

  @Test("are routed to as soon as may be while another observer has none")
  func mixed() async throws {
    let tolerant = store.values(ofEach: [long], tolerance: .seconds(3_600)).makeAsyncIterator()
    _ = try tolerant.nextIfReady()
    do {
      let prompt = store.values(of: Book.all.count).makeAsyncIterator()
      #expect(try prompt.nextIfReady() == 0)
      try insert(1...3)
      #expect(await isReached { lag == 0 })
      withExtendedLifetime(prompt) {}
    }
    try insert(4...5)
    #expect(lag == 2)
  }

  /// Writes so that consumers are waiting each time, most times, and waits for the newest value.
  private func ping(
    _ values: LiveValues<[any Sendable]>, _ ids: ClosedRange<Int>, pages: Int = 0
  ) async throws {
    let received = Mutex(-1)
    let consumer = Task {
      for try await values in values {
        let count = values[0] as? Int ?? -1
        received.withLock { $0 = count }
        if count == ids.upperBound { return }
      }
    }
    #expect(await isReached { received.withLock { $0 } == ids.lowerBound - 1 })
    for id in ids {
      // Time in which the consumer comes to wait.
      for _ in 0..<100 { await Task.yield() }
      try insert(id...id, pages: pages)
      #expect(await isReached { received.withLock { $0 } == id })
    }
    try await consumer.value
  }

  @Test("get the newest value while they wait, and the timer ends when no commits come")
  func waiting() async throws {
    let values = store.values(ofEach: [Book.all.count], tolerance: .milliseconds(1))
    let other = values.makeAsyncIterator()
    #expect(try other.nextIfReady() != nil)
    try await ping(values, 1...20)
    #expect(await isReached { !store.engine.hasTimer })
    try await ping(values, 21...22)
    #expect(try other.nextIfReady()?[0] as? Int == 22)
  }

  @Test("do not wait for the timer of an observer with a greater one")
  func least() async throws {
    var hour = store.values(ofEach: [long], tolerance: .seconds(7_200)).makeAsyncIterator()
    #expect(try await hour.next() != nil)
    // The timer of an hour begins.
    try insert(1...1)
    try await ping(store.values(ofEach: [Book.all.count], tolerance: .milliseconds(1)), 2...6, pages: 200)
    #expect((try await hour.next()?[0] as? Results<Book>)?.count == 5)
  }

  @Test("do not delay settled(), nor the end of the store")
  func settled() async throws {
    var values = store.values(ofEach: [long], tolerance: .seconds(3_600)).makeAsyncIterator()
    #expect(try await values.next() != nil)
    try insert(1...3)
    try await store.settled()
    #expect(lag == 0)
    try insert(4...4, pages: 200)
    store.close()
    #expect(try await values.next() == nil)
  }

  @Test("may be of any duration: a negative one is none")
  func bounds() async throws {
    let values = store.values(ofEach: [long], tolerance: .seconds(-1)).makeAsyncIterator()
    _ = try values.nextIfReady()
    try insert(1...3)
    #expect(await isReached { lag == 0 })
    withExtendedLifetime(values) {}
  }
}
