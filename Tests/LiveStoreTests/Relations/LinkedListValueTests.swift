import LiveStore
import TestSupport
import Testing

private struct Slot: Hashable, Sendable {
  var article: Ref<Article>?
}

private struct Shelf: Entity, Hashable {
  let id: Int
  var articles = RefList<Article>()
  var replies = RefList<Reply>()
  var slots: [Slot] = []

  static let schema = Schema<Shelf> {
    Relation(\.articles)
    Relation(\.replies)
    Embedded(each: \.slots) { Relation(\.article) }
  }
}

/// Paths over a list of links and on over the links of what it leads to.
@Suite struct `Values over lists of links` {
  private func makeStore() throws -> Store {
    let store = try Store(Shelf.self, Writer.self, Topic.self, Article.self, Reply.self)
    try store.write { tx in
      try tx.insert(contentsOf: [Writer(id: 1, name: "Ann", age: 20), Writer(id: 2, name: "Bob", age: 40)])
      try tx.insert(contentsOf: [Writer(id: 3, name: "Cy"), Writer(id: 4, name: "Di", follows: [1, 2, 3])])
      try tx.insert(contentsOf: [Topic(id: 1, name: "x"), Topic(id: 2, name: "y")])
      try tx.insert(contentsOf: [
        Article(id: 1, title: "a", author: 1, topics: [1, 2]),
        Article(id: 2, title: "b", author: 2, topics: [1]),
        Article(id: 3, title: "c"),
      ])
      try tx.insert(contentsOf: [Reply(id: 1, article: 1), Reply(id: 2, article: 2)])
      try tx.insert(contentsOf: [
        Shelf(id: 1, articles: [1, 3, 2], replies: [2, 1], slots: [Slot(article: 3), Slot()]),
        Shelf(id: 2, articles: [2], slots: [Slot(article: 2), Slot(article: 3)]),
        Shelf(id: 3),
      ])
    }
    return store
  }

  @Test func `values over lists of links are those of the linked objects in order, and are kept up to date`()
    async throws
  {
    let store = try makeStore()
    let edits: [(query: Query<Shelf>, edit: @Sendable (borrowing WriteTransaction) throws -> Void)] = [
      (
        Shelf.where { $0.articles.author.name == ["Ann", "Bob"] },
        { tx in try tx.update(Writer.self, 2) { $0.name = "Bea" } }
      ),
      (
        Shelf.where { $0.articles.topics.name == ["x", "y", "x"] },
        { tx in try tx.update(Article.self, 2) { $0.topics.append(2) } }
      ),
      (
        Shelf.where { $0.replies.article.title == ["b", "a"] },
        { tx in try tx.update(Reply.self, 1) { $0.article = 3 } }
      ),
    ]
    for (query, edit) in edits {
      var iterator = store.changes(of: query).makeAsyncIterator()
      #expect(await iterator.next()?.results?.map(\.id) == [1], "\(query)")
      try await store.write { tx in try edit(tx) }
      #expect(await iterator.next()?.changes?.deletions == [0], "\(query)")
      #expect(store.snapshot().fetch(query).isEmpty, "\(query)")
    }
  }

  @Test func `tracked values over lists of links modify the rows that read them, and no others`() async throws
  {
    let store = try makeStore()
    var iterator = store.changes(of: Shelf.all.tracking { $0.articles.author.name }).makeAsyncIterator()
    _ = await iterator.next()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.name = "Annie" } }
    #expect(await iterator.next()?.changes?.modifications.map(\.id) == [1])
    try await store.write { tx in try tx.update(Writer.self, 2) { $0.name = "Bea" } }
    #expect(await iterator.next()?.changes?.modifications.map(\.id) == [1, 2])
  }

  @Test func `optional values over lists of links are summed and averaged where they exist`() throws {
    let snapshot = try makeStore().snapshot()
    #expect(snapshot.fetch(Writer.where { $0.follows.objects.sum(\.age) == 60 }).map(\.id) == [4])
    #expect(snapshot.fetch(Writer.where { $0.follows.objects.average(\.age) == 30 }).map(\.id) == [4])
    #expect(snapshot.fetch(Writer.where { $0.follows.objects.average(\.age) == nil }).map(\.id) == [1, 2, 3])
  }

  /// Bug: both were one term, so that an observer of one query received the result of the other.
  @Test func `behind a link to nothing, the number of links is nil and that of objects is 0`() async throws {
    let store = try Store(Article.self, Writer.self, Topic.self)
    try await store.write { tx in
      try tx.insert(Writer(id: 1, name: "Ann", age: nil))
      try tx.insert(Article(id: 1, title: "a", author: nil))
      try tx.insert(Article(id: 2, title: "b", author: 1))
    }
    let links = Article.where { $0.author.follows.count == nil && $0.author.follows.isEmpty != true }
    let objects = Article.where { $0.author.follows.objects.count == 0 && $0.author.follows.objects.isEmpty }
    #expect(
      Article.where { $0.author.follows.count == 0 } != Article.where { $0.author.follows.objects.count == 0 }
    )
    #expect(Article.where { $0.topics.count == 0 } == Article.where { $0.topics.objects.count == 0 })
    var (ofLinks, ofObjects) = (
      store.changes(of: links).makeAsyncIterator(), store.changes(of: objects).makeAsyncIterator()
    )
    #expect(await ofLinks.next()?.results?.map(\.id) == [1])
    #expect(await ofObjects.next()?.results?.map(\.id) == [1, 2])
    #expect(
      try Article.where(format: "author.follows.@count == 0")
        == Article.where { $0.author.follows.objects.count == 0 })
  }

  @Test func `backlinks are found through a link in any embedded value`() throws {
    let snapshot = try makeStore().snapshot()
    let article = try #require(snapshot[Article.self, 3])
    #expect(snapshot.backlinks(to: article, from: \Shelf.slots, each: \.article).map(\.id) == [1, 2])
    #expect(Set(snapshot[RefSet<Writer>([1, 2, 9])].map(\.name)) == ["Ann", "Bob"])
  }
}
