import LiveStore
import TestSupport
import Testing

@Suite struct RelationSmokeTests {
  @Test func `references resolve, and backlinks follow them`() throws {
    let store = try makeSocialStore()
    try store.write { tx in
      try tx.insert(Writer(id: 1, name: "Ann"))
      try tx.insert(Topic(id: 10, name: "swift"))
      try tx.insert(Article(id: 100, title: "One", author: 1, topics: [10]))
      try tx.insert(Article(id: 101, title: "Two", author: nil, topics: [10, 10]))
      for id in 200..<220 { try tx.insert(Article(id: id, title: "Other")) }
    }
    let snapshot = store.snapshot()
    let ann = try #require(snapshot[Writer.self, 1])
    let one = try #require(snapshot[Article.self, 100])
    #expect(snapshot[one.author]?.name == "Ann")
    #expect(snapshot[one.topics].map(\.name) == ["swift"])
    #expect(snapshot.backlinks(to: ann, from: \Article.author).map(\.id) == [100])
    let swift = try #require(snapshot[Topic.self, 10])
    #expect(snapshot.backlinks(to: swift, from: \Article.topics).map(\.id) == [100, 101])
    #expect(Article.linking(to: ann.ref, by: \.author).explain(in: snapshot).hasPrefix("links"))

    try store.write { tx in _ = try tx.delete(Topic.self, 10) }
    #expect(store.snapshot().fetch(Article.all).allSatisfy { $0.topics.isEmpty })
    try store.write { tx in _ = try tx.delete(Writer.self, 1) }
    #expect(store.snapshot()[Article.self, 100]?.author == nil)
  }

  @Test func `a cascade follows a long chain`() throws {
    let store = try makeSocialStore()
    try store.write { tx in
      try tx.insert(Article(id: 1, title: "One"))
      for id in 0..<Environment.size(5_000, thorough: 20_000) {
        try tx.insert(Reply(id: id, article: 1, parent: id == 0 ? nil : Ref(id - 1)))
      }
    }
    try store.write { tx in
      try tx.delete(Reply.self, 10)
      #expect(tx.count(Reply.all) == 10)
    }
    try store.write { tx in _ = try tx.delete(Article.self, 1) }
    #expect(store.snapshot().count(Reply.all) == 0)
  }
}
