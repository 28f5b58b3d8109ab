import LiveStore
import TestSupport
import Testing

/// What a store, a snapshot and a transaction give to code that reads any of them.
@Suite struct StoreReaderTests {
  private let store: Store

  init() throws {
    store = try makeSocialStore()
    try store.write { tx in
      try tx.insert(contentsOf: [Writer(id: 1, name: "Ann"), Writer(id: 2, name: "Bea")])
      try tx.insert(contentsOf: [Topic(id: 10, name: "swift"), Topic(id: 11, name: "tea")])
      try tx.insert(Article(id: 100, title: "One", author: 1, topics: [11, 10]))
      try tx.insert(Article(id: 101, title: "Two", author: 1, topics: [10]))
    }
  }

  private func check(_ reader: borrowing some StoreReader & ~Copyable) throws {
    let one = try #require(reader[Article.self, 100])
    let ann = try #require(reader[one.author])
    #expect(ann.name == "Ann" && reader[Ref<Writer>(9)] == nil && reader[Ref<Writer>?.none] == nil)
    #expect(reader[one.topics].map(\.name) == ["tea", "swift"])
    #expect(reader[[Ref<Writer>(2), Ref(9), Ref(1), Ref(2)]].map(\.name) == ["Bea", "Ann", "Bea"])
    #expect(Set(reader[RefSet<Writer>([1, 9, 2])].map(\.id)) == [1, 2])
    #expect(reader[RefMap<Writer>(["a": 1, "b": 9])].mapValues(\.name) == ["a": "Ann"])
    let articles = Article.sorted(by: \.title, .descending)
    #expect(reader.fetch(articles).map(\.id) == [101, 100] && reader.count(articles) == 2)
    #expect(reader.first(articles)?.id == 101 && reader.exists(articles))
    #expect(reader.first(articles.offset(2)) == nil && !reader.exists(articles.offset(2)))
    #expect(reader.value(of: Article.all.count) == 2)
    #expect(reader.backlinks(to: ann, from: \Article.author).map(\.id) == [100, 101])
    let page = try reader.page(of: articles, after: nil, first: 1)
    #expect(page.rows.map(\.id) == [101])
    #expect(try reader.page(of: articles, after: page.next, first: 1).rows.map(\.id) == [100])
  }

  @Test func `a store, a snapshot and a transaction read alike`() throws {
    try check(store)
    try check(store.snapshot())
    try store.write { tx in try check(tx) }
  }

  @Test func `a transaction's objects of references are those that it has written`() throws {
    try store.write { tx in
      try tx.insert(Topic(id: 12, name: "new"))
      try tx.delete(Topic.self, 11)
      #expect(tx[[Ref<Topic>(12), 11, 10]].map(\.name) == ["new", "swift"])
      #expect(tx[RefMap<Topic>(["n": 12, "t": 11])].mapValues(\.name) == ["n": "new"])
      #expect(store[[Ref<Topic>(12), 11, 10]].map(\.name) == ["tea", "swift"])
    }
  }
}
