import LiveStore
import TestSupport
import Testing

/// Conditions on the value of a link, and on what it links to, are of one property but found in two ways.
@Suite(.timeLimit(.minutes(10))) struct LinkConditionTests {
  private func makeStore() throws -> Store {
    let store = try makeSocialStore()
    try store.write { tx in
      for id in 1...3 { try tx.insert(Writer(id: id, name: "w\(id)")) }
      for id in 1...3 { try tx.insert(Topic(id: id, name: "t\(id)")) }
      for id in 1...60 {
        try tx.insert(
          Article(
            id: id, title: "a\(id)", author: id % 4 == 0 ? nil : Ref(id % 4),
            topics: id % 3 == 0 ? [] : RefList(ids: [1, id % 3])))
      }
    }
    return store
  }

  @Test func `a whole list is compared, not looked for among links`() throws {
    let snapshot = try makeStore().snapshot()
    #expect(snapshot.count(Article.where { $0.topics == [] }) == 20)
    #expect(snapshot.count(Article.where { $0.topics == [1, 2] }) == 20)
    #expect(snapshot.count(Article.where { $0.topics.in([[1, 1], []]) }) == 40)
    #expect(snapshot.count(Article.where { $0.author == nil }) == 15)
    #expect(snapshot.count(Writer.where { $0.follows == [] }) == 3)
  }

  @Test func `an object that is linked by two alternatives is found once`() throws {
    let store = try makeStore()
    try store.write { tx in
      for id in 100..<600 { try tx.insert(Article(id: id, title: "")) }
    }
    let query = Article.where { $0.topics.contains(1) || $0.topics.contains(2) }
    let ids = (1...60).filter { $0 % 3 != 0 }
    #expect(query.explain(in: store.snapshot()).hasPrefix("links Article.topics: 60 of 560 rows"))
    #expect(store.snapshot().fetch(query).map(\.id) == ids && store.snapshot().count(query) == 40)
    #expect(store.snapshot().fetch(query.sorted(by: \.id, .descending)).map(\.id) == ids.reversed())
  }

  @Test(arguments: [false, true])
  func `live conditions of both kinds are kept up to date, whichever was first`(isReversed: Bool) async throws
  {
    let store = try makeStore()
    var queries = [
      Article.linking(to: 1, by: \.author), Article.where { $0.author == nil },
      Article.where { $0.topics.contains(2) }, Article.where { $0.topics == [] },
      Article.where { $0.topics == [2] || $0.topics.contains(3) },
    ]
    if isReversed { queries.reverse() }
    let recorders = queries.map { _ in Recorder<[Int]>() }
    let tokens = zip(queries, recorders).map { query, recorder in
      store.observe(query) { change in recorder.append(change.results?.map(\.id) ?? []) }
    }
    try await store.settled()
    let edits: [(inout Article) -> Void] = [
      { $0.author = 1 }, { $0.author = nil }, { $0.author = 2 }, { $0.topics = [2] }, { $0.topics = [] },
      { $0.topics = [1, 2, 3] }, { $0.topics.removeFirst() }, { $0.topics = [2] },
    ]
    for edit in edits {
      try await store.write { tx in _ = try tx.update(Article.self, 7, edit) }
      try await store.settled()
      let snapshot = store.snapshot()
      for (query, recorder) in zip(queries, recorders) {
        #expect(recorder.last == snapshot.fetch(query).map(\.id), "\(query)")
      }
    }
    tokens.forEach { $0.invalidate() }
  }
}
