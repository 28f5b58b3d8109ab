import LiveStore
import Testing

/// Optimistic transactions over links: what a cascade meets, and what linked filters read.
@Suite(.timeLimit(.minutes(10))) struct `Optimistic transactions over links` {
  private func open() throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      try tx.insert(Topic(id: 1, name: "one"))
      try tx.insert(Topic(id: 2, name: "two"))
      try tx.insert(Article(id: 1, title: "a", topics: [1, 2]))
    }
    return store
  }

  @Test func `a linked value that was read in a filter counts as read`() async throws {
    let store = try open()
    var runs = 0
    let found = try await store.transaction { tx in
      runs += 1
      let found = tx.fetch(Article.where { $0.topics.contains { $0.name == "two" } }).map(\.id)
      if runs == 1 { try await store.write { other in try other.update(Topic.self, 2) { $0.name = "zwei" } } }
      try tx.insert(Topic(id: 9, name: "nine"))
      return found
    }
    #expect(runs == 2 && found == [])
  }

  @Test func `a deletion includes the links that others committed meanwhile`() async throws {
    let store = try open()
    var runs = 0
    try await store.transaction { tx in
      runs += 1
      try tx.delete(Topic.self, 1)
      if runs == 1 {
        try await store.write { other in try other.insert(Article(id: 2, title: "b", topics: [1, 1])) }
      }
    }
    #expect(runs == 1)
    #expect(store.snapshot().fetch(Article.all).map { $0.topics.map(\.id) } == [[2], []])
  }

  @Test func `a link to an object that was deleted meanwhile is refused at commit`() async throws {
    let store = try open()
    let error = await #expect(throws: StoreError.self) {
      try await store.transaction { tx in
        try tx.insert(Article(id: 3, title: "c", topics: [2]))
        try await store.write { other in _ = try other.delete(Topic.self, 2) }
      }
    }
    #expect(error?.code == StoreError.missingLinkTarget)
    #expect(store.snapshot()[Article.self, 3] == nil)
  }
}
