import LiveStore
import Testing

private struct User: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<User> { \.name }
}

private struct Post: Entity {
  let id: Int
  var author: Ref<User>
  var likes = 0
  var year = 2000
  static let schema = Schema<Post> {
    Relation(\.author, onDelete: .cascade)
    \.likes
    \.year
  }
}

extension Row<Post> {
  fileprivate var isByAnn: Expr<Bool> { self.author.name == "Ann" }
  fileprivate var isPopular: Expr<Bool> { self.likes > 10 }
  fileprivate var isOld: Expr<Bool> { self.year < 2000 }
}

/// Bug: a condition that rows are sorted or grouped by named no values, so it was not followed through links, or left out.
@Suite struct `Conditions that rows are sorted and grouped by` {
  private func store() throws -> Store {
    let store = try Store(User.self, Post.self)
    try store.write { tx in
      try tx.insert(contentsOf: [
        User(id: 1, name: "Ann"), User(id: 2, name: "Bob"), User(id: 3, name: "Cyd"),
      ])
      try tx.insert(contentsOf: [
        Post(id: 1, author: 1, likes: 20, year: 2000), Post(id: 2, author: 2, likes: 5, year: 1990),
        Post(id: 3, author: 3, likes: 30, year: 2010), Post(id: 4, author: 3, likes: 1, year: 1980),
      ])
    }
    return store
  }

  @Test func `groups by a condition on a linked value follow that value`() async throws {
    let store = try store()
    let query = Post.all.grouped(by: \.isByAnn).count
    var values = store.values(of: query).makeAsyncIterator()
    var groups = try await values.next()
    #expect(groups?[id: true]?.value == 1 && groups?[id: false]?.value == 3)
    try await store.write { tx in try tx.update(User.self, 2) { $0.name = "Ann" } }
    groups = try await values.next()
    #expect(groups?[id: true]?.value == 2 && groups?[id: false]?.value == 2)
    try await store.write { tx in try tx.delete(Post.self, 2) }
    groups = try await values.next()
    #expect(groups?[id: true]?.value == 1 && groups?[id: false]?.value == 2)
  }

  @Test func `rows that differ in a condition on a linked value follow that value`() async throws {
    let store = try store()
    let query = Post.all.distinct(by: \.isByAnn)
    #expect(store.fetch(query).map(\.id) == [1, 2])
    let token = store.observe(query) { _ in }
    try await store.write { tx in try tx.update(User.self, 2) { $0.name = "Ann" } }
    #expect(store.fetch(query).map(\.id) == [1, 3])
    token.invalidate()
  }

  @Test func `rows are sorted by a condition, false first, and again when a linked value changes`()
    async throws
  {
    let store = try store()
    let query = Post.all.sorted(by: \.isByAnn).sorted(by: \.isPopular, .descending).sorted(by: \.id)
    #expect(store.fetch(query).map(\.id) == [3, 2, 4, 1])
    var values = store.changes(of: query).makeAsyncIterator()
    _ = await values.next()
    try await store.write { tx in try tx.update(User.self, 3) { $0.name = "Ann" } }
    #expect(await values.next()?.results?.map(\.id) == [2, 1, 3, 4])
    #expect(store.fetch(query).map(\.id) == [2, 1, 3, 4])
  }

  /// Bug: conditions of linked objects that are read as values were one.
  @Test func `values of different conditions of linked objects are different`() throws {
    let store = try store()
    let popular = User.where { $0.linking(\Post.author).values(\.isPopular).contains(true) }
    let old = User.where { $0.linking(\Post.author).values(\.isOld).contains(true) }
    #expect(popular != old)
    #expect(store.fetch(popular).map(\.id) == [1, 3] && store.fetch(old).map(\.id) == [2, 3])
    let both = User.where {
      $0.linking(\Post.author).values(\.isPopular).contains(true)
        && $0.linking(\Post.author).values(\.isOld).contains(true)
    }
    #expect(store.fetch(both).map(\.id) == [3])
  }
}
