import LiveStore
import TestSupport
import Testing

@Suite struct LinkedQueryTests {
  static func makeStore() throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 1...4 { try tx.insert(Writer(id: id, name: "w\(id)", age: id * 10, follows: [])) }
      for id in 1...5 { try tx.insert(Topic(id: id, name: "t\(id)", weight: id)) }
      for id in 1...40 {
        try tx.insert(
          Article(
            id: id, title: "a\(id)", likes: id % 7, author: id % 5 == 0 ? nil : Ref(id % 5),
            topics: RefList(ids: [id % 5 + 1, (id + 2) % 5 + 1])))
      }
    }
    return store
  }

  /// ```
  /// reply 1 ─article→ article 1 ─author→ writer 1, then writer 2
  /// ```
  @Test func `another link in the middle of a chain updates the rows that the chain begins with`()
    async throws
  {
    let store = try makeSocialStore()
    try await store.write { tx in
      try tx.insert(contentsOf: [Writer(id: 1, name: "a"), Writer(id: 2, name: "b")])
      try tx.insert(Article(id: 1, title: "", author: 1))
      try tx.insert(Reply(id: 1, article: 1))
    }
    let received = Recorder<[Int]>()
    let token = store.observe(Reply.where { $0.article.author.name == "b" }) {
      received.append($0.results?.map(\.id) ?? [])
    }
    try await store.settled()
    try await store.write { tx in try tx.update(Article.self, 1) { $0.author = 2 } }
    try await store.settled()
    #expect(received.events == [[], [1]])
    withExtendedLifetime(token) {}
  }

  @Test func `filters read values over links`() throws {
    let snapshot = try Self.makeStore().snapshot()
    #expect(snapshot.fetch(Article.where { $0.author.name == "w3" }).allSatisfy { $0.author == 3 })
    #expect(snapshot.count(Article.where { $0.author.name == "w3" }) == 8)
    #expect(snapshot.count(Article.where { $0.author.name == nil }) == 8)
    #expect(snapshot.count(Article.where { $0.author.age > 25 }) == 16)
    #expect(snapshot.count(Article.where { $0.author.id == 2 }) == 8)
    #expect(snapshot.count(Article.where { $0.author == Ref(2) }) == 8)
    #expect(snapshot.count(Article.where { $0.topics.contains { $0.name == "t1" } }) == 16)
    #expect(snapshot.count(Article.where { $0.topics.where { $0.weight > 2 }.count >= 2 }) == 8)
    #expect(snapshot.count(Article.where { $0.topics.objects.sum(\.weight) == 3 }) == 0)
    #expect(snapshot.count(Writer.where { $0.linking(\Article.author).count >= 8 }) == 4)
    #expect(snapshot.count(Writer.where { $0.linking(\Article.author).contains { $0.likes == 6 } }) == 4)
    let sorted = snapshot.fetch(
      Article.sorted(by: \.author.name, .descending).sorted(by: \.likes))
    #expect(sorted.first?.author == 4)
    #expect(sorted.last?.author == nil)
  }

  @Test func `live results follow linked rows`() async throws {
    let store = try Self.makeStore()
    let query = Article.where { $0.topics.contains { $0.name == "t1" } }.sorted(by: \.author.name)
    let (initial, changes) = try store.subscribe(query)
    #expect(initial.count == 16)
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Topic.self, 1) { $0.name = "other" } }
    guard case .update(let results, let change)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(results.isEmpty)
    #expect(change.deletions.count == 16)
    #expect(store.metrics.linkedTests == 16)
    try await store.write { tx in
      try tx.update(Topic.self, 1) { $0.name = "t1" }
      try tx.update(Writer.self, 3) { $0.name = "a" }
    }
    guard case .update(let again, _)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(again.map(\.id) == store.snapshot().fetch(query).map(\.id))
    try await store.write { tx in try tx.update(Writer.self, 3) { $0.name = "aa" } }
    guard case .update(_, let renamed)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(
      renamed.modifications.map(\.new.author) == Array(repeating: 3, count: renamed.modifications.count))
    #expect(renamed.modifications.first?.properties.first?.name == "author.name")
    #expect(renamed.deletions.isEmpty && renamed.insertions.isEmpty && renamed.moves.isEmpty)
  }

  /// A filter that every row passes, or that no value can, still names what it is written of.
  @Test(arguments: [
    "likes != 3 || likes != 5 || author.name == 'w1'",
    "likes == 1 && likes == 2 || author.name != 'w1' || author.name == 'w1'",
    "likes >= 0 || author.age > 3 && author.age < 2 && author.name == 'w1'",
    "NOT (likes == 3 && (likes == 5 && author.name == 'w1'))",
    "likes >= 0 || likes >= 1 && likes < 9 && likes > 20 && author.name == 'w1' || likes < 3",
  ]) func `a linked value that a filter names modifies its row, also where it decides nothing`(
    text: String
  ) async throws {
    let filter = try Filter<Article>(format: text)
    #expect(filter != .everything)
    #expect(try Filter(format: filter.format ?? "") == filter)
    let store = try Self.makeStore()
    let (_, changes) = try store.subscribe(Article.where(filter))
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in
      try tx.update(Writer.self, 1) {
        $0.name = "other"
        $0.age = 11
      }
    }
    try await store.write { tx in try tx.update(Article.self, 2) { $0.title = "other" } }
    guard case .update(_, let change)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(change.modifications.contains { $0.id == 1 })
  }

  @Test func `a filter that no row passes is nothing, whatever it names`() {
    #expect(Filter<Article> { $0.likes == 1 && $0.likes == 2 && $0.author.name == "w1" } == .nothing)
  }

  @Test func `filters that say the same and name the same are equal, whatever decides nothing in them`()
    throws
  {
    let range = Filter<Article> {
      $0.likes == 100 || $0.likes.in(1..<9) && $0.likes > 20 && $0.author.name == "w1"
    }
    let bounds = Filter<Article> {
      $0.likes == 100 || $0.author.name == "w1" && $0.likes > 20 && $0.likes < 9
    }
    #expect(range == bounds && range.hashValue == bounds.hashValue)
    #expect(try Filter(format: range.format ?? "") == range)
    let empty = Filter<Article> { $0.likes >= 0 || $0.author.age.in(5..<5) }
    #expect(try Filter(format: empty.format ?? "") == empty)
    let name = Filter<Article> { $0.author.name == "a" }
    let long =
      Filter<Article> { $0.likes == 3 || $0.likes != 3 } && name || Filter { $0.author.name == "b" } && name
    #expect(long == name)
    let every = Filter<Article> { $0.likes != 1 || $0.likes != 2 }
    #expect((long || every) == (name || every))
    #expect(Article.where(long || every) == Article.where(every || name))
    // In whatever order conditions are added.
    let age = Filter<Article> { $0.likes != 3 || $0.likes != 5 || $0.author.age > 3 }
    #expect(Article.where(every || name).where(name) == Article.where(name).where(every || name))
    #expect(Article.where(every || name).where(name) == Article.where(name && (every || name)))
    #expect(Article.where(age).where(every || name) == Article.where(every || name).where(age))
    #expect(Article.where(age).where(every || name) == Article.where(age && (every || name)))
    #expect(Article.where(age).where(Filter.nothing) == Article.where(Filter.nothing).where(age))
    #expect(Article.where(age).tracking(\.author.name) == Article.all.tracking(\.author.name).where(age))
    #expect(Article.where(name).tracking(\.author.name) == Article.where(name))
    #expect(Filter.any(of: [name, .everything]) == Filter.everything)
    #expect(Filter.all(of: [name, .nothing]) == Filter.nothing)
  }

  @Test func `a query of tracked linked values has a text that names them`() throws {
    let likes = Article.where { $0.likes > 3 || $0.likes < 2 }
    let decided = Article.where { $0.likes != 3 || $0.likes != 5 || $0.author.age > 3 }
    for query in [
      Article.all.tracking(\.author.name), likes.tracking(\.author.name, \.author.age), decided,
      decided.where { $0.likes == 3 }.tracking(\.author.name).sorted(by: \.title).limit(5),
      try Article.query(format: "likes > 3 OR ((topics.name.@count > 5) AND (likes BETWEEN {3, 2}))"),
      try Article.query(format: "likes > 3 OR (topics.@isEmpty == TRUE AND likes IN {})"),
      try Article.query(format: "likes > 3 OR (ANY topics.name == 'a' AND likes IN {})"),
      try Article.query(format: "likes > 3 OR ANY topics.name BETWEEN {'b', 'a'}"),
      try Article.query(
        format: "likes > 3 OR (SUBQUERY(topics, $t, $t.name == 'a').@count > 2 AND likes IN {})"),
    ] {
      let format = try #require(query.format, "\(query)")
      let read = try Article.query(format: format)
      #expect(read == query, "\(query), \(format), \(read)")
    }
    #expect(likes.tracking(\.author.name).format == "(likes > 3 OR likes < 2) AND NOT author.name IN {}")
    #expect(likes.tracking(\.topics.name).format == nil)
  }

  @Test func `a tracked linked value that changes modifies its row`() async throws {
    let store = try Self.makeStore()
    let (_, changes) = try store.subscribe(Article.all.tracking(\.author.name, \.topics.name))
    var iterator = changes.makeAsyncIterator()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.age = 99 } }
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.name = "renamed" } }
    guard case .update(_, let change)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(change.modifications.count == 8)
    #expect(change.modifications.first?.properties.map(\.name) == ["author.name"])
    try await store.write { tx in try tx.update(Topic.self, 2) { $0.name = "renamed" } }
    guard case .update(_, let topics)? = await iterator.next() else {
      Issue.record("no event")
      return
    }
    #expect(topics.modifications.count == 16)
  }

  @Test func `a condition that is compared is a value, which follows linked rows`() async throws {
    let store = try Self.makeStore()
    func query() -> Query<Article> {
      Article.where { ($0.author.age > 25) == ($0.likes > 3) && ($0.author.name == "w1") != ($0.id == 1) }
    }
    #expect(query() == query() && query() != Article.all)
    func expected() -> [Int] {
      store.fetch(Article.all).filter { article in
        let author = article.author.flatMap { store[Writer.self, $0.id] }
        return ((author?.age ?? 0) > 25) == (article.likes > 3) && (author?.name == "w1") != (article.id == 1)
      }.map(\.id)
    }
    let received = Recorder<[Int]>()
    let token = store.observe(query()) { received.append($0.results?.map(\.id) ?? []) }
    let before = expected()
    try await store.settled()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.age = 30 } }
    try await store.settled()
    #expect(received.events == [before, expected()] && before != expected())
    withExtendedLifetime(token) {}
  }

  @Test func `a condition on linked objects follows their own links`() async throws {
    let store = try Self.makeStore()
    let received = Recorder<[Int]>()
    let query = Writer.where {
      $0.linking(\Article.author).contains { $0.topics.contains { $0.name == "new" } }
    }
    let token = store.observe(query) { received.append($0.results?.map(\.id) ?? []) }
    try await store.settled()
    try await store.write { tx in try tx.update(Topic.self, 1) { $0.name = "new" } }
    try await store.settled()
    #expect(received.events == [[], store.fetch(query).map(\.id)] && !store.fetch(query).isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `a computed property of a linked object is followed`() async throws {
    let store = try Self.makeStore()
    let received = Recorder<Int>()
    let token = store.observe(Article.where { $0.author.initial == "x" }) {
      received.append($0.results?.count ?? -1)
    }
    try await store.settled()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.name = "x1" } }
    try await store.settled()
    #expect(received.events == [0, 8])
    withExtendedLifetime(token) {}
  }

  @Test(.timeLimit(.minutes(10))) func `sums and means follow linked values`() async throws {
    let store = try Self.makeStore()
    try await store.write { tx in try tx.insert(Reply(id: 1, article: 1)) }
    let (total, totals) = try store.subscribe(Article.all.sum(\.replyCount))
    let (mean, means) = try store.subscribe(Article.where { $0.id <= 4 }.average(\.author.age))
    let (groups, groupEvents) = try store.subscribe(Article.all.grouped(by: \.likes).sum(\.replyCount))
    let (most, extremes) = try store.subscribe(Article.all.max(\.replyCount))
    #expect(total == 1 && mean == 25 && groups[id: 1]?.value == 1 && most == 1)
    var (totalIterator, meanIterator) = (totals.makeAsyncIterator(), means.makeAsyncIterator())
    var (groupIterator, extremeIterator) = (groupEvents.makeAsyncIterator(), extremes.makeAsyncIterator())
    try await store.write { tx in
      try tx.insert(Reply(id: 2, article: 1))
      try tx.update(Writer.self, 4) { $0.age = 80 }
    }
    #expect(await totalIterator.next()?.value == 2)
    #expect(await meanIterator.next()?.value == 35)
    #expect(await groupIterator.next()?.results?[id: 1]?.value == 2)
    #expect(await extremeIterator.next()?.value == 2)
  }
}

extension Writer {
  fileprivate var initial: String { String(name.prefix(1)) }
}

extension Row<Article> {
  fileprivate var replyCount: Expr<Int> { linking(\Reply.article).count }
}
