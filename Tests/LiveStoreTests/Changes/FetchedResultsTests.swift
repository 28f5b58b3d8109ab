import LiveStore
import TestSupport
import Testing

/// Change sets between results that were fetched one by one.
@Suite struct `Results that were fetched` {
  /// Bug: of two results of one transaction, what was written between them was no change. Cause: a row has one stamp
  /// for all that a transaction writes to it. Mend: results of tables inside a transaction are compared by values.
  @Test func `what a transaction writes between two results is a change`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in try tx.insert(Writer(id: 1, name: "0")) }
    for query in [Writer.all, Writer.where { $0.name != "z" }, Writer.sorted(by: \.name)] {
      let (one, changes) = try await store.write { tx in
        try tx.update(Writer.self, 1) { $0.name = "a" }
        let one = tx.fetch(query)
        try tx.update(Writer.self, 1) { $0.name += "b" }
        return (one, one.changes(to: tx.fetch(query)))
      }
      #expect(changes.modifications.first?[\.name]?.new == "ab")
      let later = one.changes(to: store.snapshot().fetch(query))
      #expect(later.modifications.first?[\.name]?.old == "a")
    }
  }

  /// Bug: an object of a transaction that failed was taken for the one that the next transaction inserted. Cause: row
  /// numbers that are no longer in use are given again. Mend: inside a transaction objects are known by their ids.
  @Test func `an object of a failed transaction is not the next one inserted`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in try tx.insert(Writer(id: 1, name: "a")) }
    var given: Results<Writer>?
    await #expect(throws: CancellationError.self) {
      try await store.write { tx in
        try tx.insert(Writer(id: 2, name: "a"))
        given = tx.fetch(Writer.all)
        throw CancellationError()
      }
    }
    try await store.write { tx in try tx.insert(Writer(id: 3, name: "a")) }
    let changes = given?.changes(to: store.snapshot().fetch(Writer.all))
    #expect(changes?.deletions == [1] && changes?.insertions == [1])
    #expect(changes?.modifications.isEmpty == true)
  }

  /// Bug: `value(of:)` of a transaction gave results between which a linked value did not differ. Cause: their tables
  /// had the number of the version to be (V2). Mend: they are those that `fetch` reads.
  @Test func `a linked value differs between two values of a transaction`() async throws {
    let store = try makeSocialStore()
    let query = Article.all.tracking(\.author.name)
    let changes = try await store.write { tx in
      try tx.insert(Writer(id: 1, name: "a"))
      try tx.insert(Article(id: 1, title: "x", author: 1))
      let one = tx.value(of: query)
      try tx.update(Writer.self, 1) { $0.name = "b" }
      return one.changes(to: tx.value(of: query))
    }
    #expect(changes.modifications.map(\.id) == [1])
  }

  /// Bug: the first of two equal entries was removed, and the second reported as removed and the first as moved. Cause:
  /// entries were paired by numbers that each fetch gives again. Mend: they are paired by their labels.
  @Test func `the removed entry of a list is the one that is reported`() async throws {
    let store = try makeSocialStore()
    try await store.write { tx in
      for id in 1...2 { try tx.insert(Topic(id: id, name: "\(id)")) }
      try tx.insert(Article(id: 1, title: "x"))
    }
    let list = Topic.linked(from: \Article.topics, of: 1)
    for query in [list, list.sorted(by: \.weight)] {
      try await store.write { tx in try tx.update(Article.self, 1) { $0.topics = [1, 2, 1] } }
      let before = store.snapshot().fetch(query)
      try await store.write { tx in try tx.update(Article.self, 1) { _ = $0.topics.remove(at: 0) } }
      let changes = before.changes(to: store.snapshot().fetch(query))
      #expect(changes.deletions == [0] && changes.insertions.isEmpty && changes.moves.isEmpty)
    }
  }
}
