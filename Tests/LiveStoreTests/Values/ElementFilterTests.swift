import LiveStore
import TestSupport
import Testing

private struct Page: Entity, Equatable {
  let id: Int
  var tags: [String] = []
  var marks: Set<Int> = []
  var maybe: [String]?
  static let schema = Schema<Page> {
    Property(\.tags, .indexed)
    \.marks
    \.maybe
  }
}

@Suite struct `Filters by an element of a collection` {
  @Test func `a filter by an element finds the objects that hold it, however it is written`() throws {
    let store = try Store(Page.self)
    try store.write { tx in
      try tx.insert(Page(id: 1, tags: ["a", "é"], marks: [1, 2], maybe: ["x"]))
      try tx.insert(Page(id: 2, tags: ["b"], marks: [2]))
      try tx.insert(Page(id: 3, tags: ["e\u{301}", "a"], maybe: []))
    }
    let snapshot = store.snapshot()
    #expect(snapshot.fetch(Page.where { $0.tags.contains("a") }).map(\.id) == [1, 3])
    #expect(snapshot.fetch(Page.where { $0.tags.contains("é") }).map(\.id) == [1, 3])
    #expect(snapshot.fetch(Page.where { $0.tags == ["b"] }).map(\.id) == [2])
    #expect("\(Page.where { $0.tags.contains("a") })".contains("tags contains \"a\""))
  }

  @Test(arguments: Seeds.forSuite(5)) func `a live query by an element is kept up to date`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try Store(Page.self)
    let words = ["a", "b", "é", "e\u{301}", "c"]
    let queries =
      words.map { word in Page.where { $0.tags.contains(word) } }
      + [Page.where { $0.marks.contains(1) }, Page.where { $0.maybe.contains("a") }]
    let observers = queries.map { _ in CheckedObserver<Page>() }
    let tokens = zip(queries, observers).map { query, observer in
      store.observe(query) { observer.receive($0) }
    }
    for _ in 0..<30 {
      try await store.write { tx in
        for _ in 0..<random.int(1...3) {
          let id = random.int(1...6)
          if random.chance(1, in: 5) {
            try tx.delete(Page.self, id)
          } else {
            try tx.upsert(
              Page(
                id: id, tags: random.some(of: words, upTo: 3),
                marks: Set(random.some(of: [1, 2, 3], upTo: 2)),
                maybe: random.chance(1, in: 3) ? nil : random.some(of: words, upTo: 2)))
          }
        }
      }
      try await store.settled()
      for (query, observer) in zip(queries, observers) {
        #expect(observer.rows == Array(store.snapshot().fetch(query)), "\(query)")
        #expect(observer.breaches == [], "\(query)")
      }
    }
    for token in tokens { token.invalidate() }
  }

  @Test func `a live query by an element is not updated for another element`() async throws {
    let store = try Store(Page.self)
    let observer = CheckedObserver<Page>()
    let token = store.observe(Page.where { $0.tags.contains("a") }) { observer.receive($0) }
    try await store.settled()
    try await store.write { tx in try tx.insert(Page(id: 1, tags: ["b"])) }
    try await store.settled()
    #expect(store.metrics.unroutedQueries == 0 && store.metrics.unroutedTests == 0 && observer.rows == [])
    token.invalidate()
  }
}
