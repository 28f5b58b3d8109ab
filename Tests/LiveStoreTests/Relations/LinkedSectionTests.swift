import LiveStore
import TestSupport
import Testing

@Suite struct `Sections over links` {
  /// Bug: an observer of sections received nothing when a linked value changed that the query tracks, sorts by or
  /// tests. Cause: rows of sections were compared by their own properties alone. Mend: they are compared by the
  /// values that the query names, as those of any result.
  @Test func `a linked value that the query names is a modification`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      try tx.insert(Writer(id: 1, name: "a"))
      try tx.insert(Article(id: 1, title: "x", author: 1))
      try tx.insert(Article(id: 2, title: "x"))
    }
    let queries = [
      Article.all.tracking(\.author.name), Article.sorted(by: \.author.name),
      Article.where { $0.author.name != "z" },
    ]
    let recorders = queries.map { _ in Recorder<SectionedChange<Article, String>>() }
    let tokens = zip(queries, recorders).map { query, recorder in
      store.observe(query.sectioned(by: \.title)) { recorder.append($0) }
    }
    try await store.settled()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.name = "b" } }
    try await store.settled()
    for recorder in recorders {
      #expect(recorder.count == 2)
      let modifications = recorder.last?.changes?.modifications ?? []
      #expect(modifications.map(\.id) == [1])
      #expect(modifications.first?.properties.map(\.description) == [#"author.name: "a" → "b""#])
    }
    for token in tokens { token.invalidate() }
  }

  @Test func `a section that is renamed over a link moves its rows`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      try tx.insert(Writer(id: 1, name: "a"))
      try tx.insert(Article(id: 1, title: "x", author: 1))
    }
    let events = Recorder<SectionedChange<Article, String?>>()
    let token = store.observe(Article.all.sectioned(by: \.author.name)) { events.append($0) }
    try await store.settled()
    try await store.write { tx in try tx.update(Writer.self, 1) { $0.name = "b" } }
    try await store.settled()
    let changes = events.last?.changes
    #expect(changes?.sectionDeletions == [0] && changes?.sectionInsertions == [0])
    #expect(changes?.moves.map(\.id) == [1] && changes?.modifications.map(\.id) == [1])
    token.invalidate()
  }
}
