import LiveStore
import TestSupport
import Testing

/// A node of any graph: by cascade, by nullify, by restrict.
private struct Knot: Entity, Hashable {
  let id: Int
  var up: Ref<Knot>?
  var second: Ref<Knot>?
  var soft: Ref<Knot>?
  var list = RefList<Knot>()
  var strict: Ref<Knot>?
  static let schema = Schema<Knot> {
    Relation(\.up, onDelete: .cascade)
    Relation(\.second, onDelete: .cascade)
    Relation(\.soft, onDelete: .nullify)
    Relation(\.list)
    Relation(\.strict, onDelete: .restrict)
    Inverse("downs", of: \Knot.up)
  }
}

private struct Twin: Entity {
  let id: PlainID
  static let schema = Schema<Twin> {}
}

private struct Leaf: Entity {
  let id: Int
  var twin: Ref<Twin>
  static let schema = Schema<Leaf> { Relation(\.twin, onDelete: .cascade) }
}

@Suite struct `Cascades` {
  private func makeStore(_ knots: [Knot]) throws -> Store {
    let store = try Store(Knot.self)
    try store.write { tx in try tx.insert(contentsOf: knots) }
    return store
  }

  private func remaining(_ store: Store) throws -> [Int] {
    #expect(try store.snapshot().breachOfTables() == nil)
    return store.snapshot().fetch(Knot.all).map(\.id)
  }

  @Test func `a cascade keeps what links to another id of the same hash`() throws {
    let store = try Store(Twin.self, Leaf.self)
    let ids = [PlainID(number: 1), PlainID(number: 2)]
    try store.write { tx in
      try tx.insert(contentsOf: ids.map { Twin(id: $0) })
      for id in 0..<4 { try tx.insert(Leaf(id: id, twin: Ref(ids[id % 2]))) }
    }
    try store.write { tx in _ = try tx.delete(Twin.self, ids[0]) }
    #expect(store.snapshot().fetch(Leaf.all).map(\.id) == [1, 3])
  }

  @Test func `a cycle is deleted as a whole, whichever of its objects is deleted`() throws {
    for start in 0..<5 {
      let store = try makeStore((0..<5).map { Knot(id: $0, up: Ref(($0 + 1) % 5)) } + [Knot(id: 9)])
      try store.write { tx in
        expectTrue(try tx.delete(Knot.self, start))
        #expect(tx.count(Knot.all) == 1)
      }
      #expect(try remaining(store) == [9])
    }
  }

  @Test func `an object that links to itself is deleted under every rule`() throws {
    let knots = [
      Knot(id: 1, up: 1), Knot(id: 2, soft: 2), Knot(id: 3, strict: 3), Knot(id: 4, up: 4, second: 1),
      Knot(id: 5, list: [5, 5, 1]),
    ]
    let store = try makeStore(knots)
    for id in [2, 3, 5, 4, 1] {
      try store.write { tx in
        expectTrue(try tx.delete(Knot.self, id))
        #expect(tx[Knot.self, id] == nil)
      }
    }
    #expect(try remaining(store) == [])
  }

  @Test func `a diamond of cascades is deleted once`() throws {
    let store = try makeStore([
      Knot(id: 0), Knot(id: 1, up: 0), Knot(id: 2, up: 0), Knot(id: 3, up: 1, second: 2),
      Knot(id: 4, up: 3, soft: 1),
      Knot(id: 5, soft: 3), Knot(id: 6, list: [4, 5, 4]),
    ])
    try store.write { tx in _ = try tx.delete(Knot.self, 0) }
    #expect(try remaining(store) == [5, 6])
    #expect(store.snapshot()[Knot.self, 5]?.soft == nil)
    #expect(store.snapshot()[Knot.self, 6]?.list == [5])
  }

  @Test func `a restricting link within what is deleted does not prevent the deletion`() throws {
    let store = try makeStore([
      Knot(id: 0), Knot(id: 1, up: 0, strict: 0), Knot(id: 2, up: 1, strict: 1), Knot(id: 3, strict: 2),
    ])
    let error = #expect(throws: StoreError.self) {
      try store.write { tx in
        try tx.delete(Knot.self, 0)
        #expect(tx.count(Knot.all) == 1)
      }
    }
    #expect(error?.code == StoreError.deleteRestricted)
    #expect(error?.id == "3" && error?.value == "2" && error?.property == "strict")
    #expect(try remaining(store) == [0, 1, 2, 3])
    try store.write { tx in _ = try tx.delete(Knot.self, 3) }
    try store.write { tx in _ = try tx.delete(Knot.self, 0) }
    #expect(try remaining(store) == [])
  }

  @Test func `deleting a query whose members cascade to each other counts them all`() throws {
    let store = try makeStore((0..<50).map { Knot(id: $0, up: $0 == 0 ? nil : Ref($0 / 2)) })
    try store.write { tx in
      expectTrue(try tx.delete(Knot.where { $0.id < 10 }) == 10)
      #expect(tx.count(Knot.all) == 0)
      expectTrue(try tx.delete(Knot.all) == 0)
    }
    #expect(try remaining(store) == [])
  }

  @Test func `a list loses the entries of many deleted objects in one step`() throws {
    let size = Environment.size(1_000, thorough: 3_000)
    let store = try makeStore((0..<size).map { Knot(id: $0) })
    try store.write { tx in
      try tx.insert(Knot(id: size, list: RefList(ids: (0..<size).flatMap { [$0, $0] })))
    }
    try store.write { tx in
      expectTrue(try tx.delete(Knot.where { $0.id < size - 1 }) == size - 1)
      #expect(tx[Knot.self, size]?.list.ids == [size - 1, size - 1])
    }
    #expect(try remaining(store) == [size - 1, size])
  }

  /// 5,000 in the usual run, 20,000 with `LIVESTORE_THOROUGH`, a million with `LIVESTORE_LONG`.
  @Test(.timeLimit(.minutes(10))) func `a cascade follows a chain to its end, however long`() throws {
    let length = Environment.isLong ? 1_000_000 : Environment.size(5_000, thorough: 20_000)
    let store = try makeStore([])
    try store.write { tx in
      for id in 0..<length { try tx.insert(Knot(id: id, up: id == 0 ? nil : Ref(id - 1))) }
    }
    try store.write { tx in
      expectTrue(try tx.delete(Knot.self, 10))
      #expect(tx.count(Knot.all) == 10)
    }
    #expect(store.snapshot().fetch(Knot.all).map(\.id) == Array(0..<10))
    #expect(store.version == .number(2))
  }

  @Test(.timeLimit(.minutes(10)))
  func `one commit is one event for each observer, over all tables`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      try tx.insert(Writer(id: 1, name: "Ann"))
      try tx.insert(Writer(id: 2, name: "Bob", follows: [1]))
      for id in 0..<100 { try tx.insert(Article(id: id, title: "t", author: Ref(1 + id % 2))) }
      for id in 0..<300 {
        try tx.insert(
          Reply(id: id, article: Ref(id % 100), parent: id >= 200 ? Ref(id - 100) : nil))
      }
    }
    let articles = CheckedObserver<Article>()
    let replies = CheckedObserver<Reply>()
    let writers = CheckedObserver<Writer>()
    let ofAnn = CheckedObserver<Article>()
    let tokens = [
      store.observe(Article.all) { articles.receive($0) },
      store.observe(Reply.all) { replies.receive($0) },
      store.observe(Writer.all) { writers.receive($0) },
      store.observe(Article.linking(to: 1, by: \.author)) { ofAnn.receive($0) },
    ]
    var commits = store.commits(after: store.version).makeAsyncIterator()
    try await store.settled()
    try await store.write { tx in
      // Articles lose their author, replies go with every second article.
      try tx.delete(Writer.self, 1)
      try tx.delete(Article.where { $0.id < 50 })
    }
    try await store.settled()
    #expect(articles.rows?.count == 50 && articles.eventCount == 2)
    #expect(replies.rows?.count == 150 && replies.eventCount == 2)
    #expect(writers.rows == [Writer(id: 2, name: "Bob")] && writers.eventCount == 2)
    #expect(ofAnn.rows == [] && ofAnn.eventCount == 2)
    #expect(articles.breaches + replies.breaches + writers.breaches + ofAnn.breaches == [])

    let commit = try #require(try await commits.next())
    let changedWriters = commit.changes(of: Writer.self)
    #expect(changedWriters.map { $0.new?.id } == [nil, 2] && changedWriters.map { $0.old?.id } == [1, 2])
    let changedArticles = commit.changes(of: Article.self)
    #expect(changedArticles.filter { $0.new == nil }.map { $0.old?.id } == Array(0..<50))
    #expect(changedArticles.compactMap { $0.new?.id } == Array(stride(from: 50, to: 100, by: 2)))
    #expect(changedArticles.allSatisfy { $0.new?.author == nil })
    #expect(commit.changes(of: Reply.self).count == 150)
    #expect(commit.changes(of: Reply.self).allSatisfy { $0.new == nil && $0.old != nil })
    #expect(commit.changeCount == 2 + 75 + 150)
    tokens.forEach { $0.invalidate() }
  }

  @Test(.timeLimit(.minutes(10)))
  func `an author is deleted with ten thousand posts in one change set`() async throws {
    let store = try makeStore([Knot(id: 0), Knot(id: -1)])
    let count = Environment.size(1_000, thorough: 10_000)
    try await store.write { tx in
      for id in 1...count { try tx.insert(Knot(id: id, up: id % 2 == 0 ? 0 : Ref(id + 1))) }
    }
    let observer = CheckedObserver<Knot>()
    let token = store.observe(Knot.all) { observer.receive($0) }
    try await store.settled()
    try await store.write { tx in _ = try tx.delete(Knot.self, 0) }
    try await store.settled()
    #expect(observer.eventCount == 2 && observer.rows?.map(\.id) == [-1] && observer.breaches == [])
    token.invalidate()
  }
}
