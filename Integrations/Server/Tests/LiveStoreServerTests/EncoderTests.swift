import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("Messages without a server")
struct EncoderTests {
  @Test("rebuild the results of random histories, a step at a time", arguments: HistoryTests.seeds)
  func histories(seed: UInt64) throws {
    let store = try makeStore(posts: 6)
    let history = RandomHistory(store, SeededGenerator(seed))
    let encoder = try StreamEncoder(Post.self, fields: [\.title, \.likeCount, \.author.name])
    let queries = RandomHistory.queries.compactMap(\.query)
    var results = queries.map { store.fetch(encoder.tracking($0)) }
    var copies = try results.map { results in
      var rows = StreamRows()
      try rows.apply(try JSONDecoder().decode([StreamMessage].self, from: encoder.snapshot(of: results)))
      return rows
    }
    for _ in 0..<40 {
      try history.commit()
      let snapshot = store.snapshot()
      for (index, query) in queries.enumerated() {
        let newer = snapshot.fetch(encoder.tracking(query))
        let data = try encoder.step(results[index].changes(to: newer), origin: "app")
        let messages = try JSONDecoder().decode([StreamMessage].self, from: data)
        #expect(messages.allSatisfy { $0.headers.origin == "app" && $0.headers.txid == "\(newer.version)" })
        try copies[index].apply(messages)
        let expected = RandomHistory.queries[index]
        #expect(copies[index].rows == expected.rows(snapshot), "seed \(seed), \(expected.target)")
        results[index] = newer
      }
    }
  }

  @Test("a snapshot replaces what was there, and an empty one leaves nothing")
  func snapshots() throws {
    let store = try makeStore(posts: 3)
    let encoder = try StreamEncoder(Post.self, fields: [\.title])
    var rows = StreamRows()
    for (query, count) in [(Post.all, 3), (Post.all.limit(1), 1), (Post.where { $0.likeCount < 0 }, 0)] {
      let data = try encoder.snapshot(of: store.fetch(query))
      try rows.apply(try JSONDecoder().decode([StreamMessage].self, from: data))
      #expect(rows.rows.map(\.key) == (0..<count).map { "\($0 + 1)" })
      #expect(rows.version == store.version)
    }
  }

  @Test("a change of what is not sent is an empty step")
  func hidden() throws {
    let store = try makeStore(posts: 3)
    let encoder = try StreamEncoder(Post.self, fields: [\.title])
    let before = store.fetch(Post.all)
    try store.write { try $0.update(Post.self, 1) { $0.secret = "other" } }
    #expect(try encoder.step(before.changes(to: store.fetch(Post.all))) == Data("[]".utf8))
  }

  @Test("a field without a JSON form is an error of the encoder")
  func invalid() throws {
    let error = #expect(throws: StoreError.self) { try StreamEncoder(Shape.self, fields: [\.kind]) }
    #expect(error?.code == .invalidSchema)
  }
}

private struct Shape: Entity {
  enum Kind { case round, square }

  let id: Int
  var kind: Kind
  static let schema = Schema<Shape> { \.kind }
}
