import LiveStore
import TestSupport
import Testing

/// Text that counts how often it is read.
private struct Counted: SearchableText, Hashable {
  static let reads = Recorder<Int>()
  var text: String

  func forEachSearchableText(_ body: (String) -> Void) {
    Counted.reads.append(1)
    body(text)
  }
}

private struct Letter: Entity {
  let id: Int
  var text = Counted(text: "")
  static let schema = Schema<Letter> { Property(\.text, .searchable) }
}

private struct Message: Entity {
  let id: Int
  var opened = 0
  var body = ""
  static let schema = Schema<Message> {
    \.opened
    Property(\.body, .searchable)
  }
}

@Suite(.serialized) struct `Costs of a search` {
  @Test func `only texts with the rarest word are read`() throws {
    let store = try Store(Letter.self)
    try store.write { tx in
      for id in 0..<2_000 {
        try tx.insert(Letter(id: id, text: Counted(text: "all \(id / 2) word\(id % 50)")))
      }
    }
    let snapshot = store.snapshot()
    func reads(_ text: String) -> (Int, Int) {
      let before = Counted.reads.count
      let found = snapshot.count(Letter.where { $0.text.search(text) })
      return (found, Counted.reads.count - before)
    }
    #expect(reads("77") == (2, 2))
    #expect(reads("all 77") == (2, 4), "two words, each read for two texts")
    #expect(reads("\"all 77\"") == (2, 2))
    #expect(reads("word7 or word8") == (80, 80 + 40))
    #expect(reads("word1*") == (440, 440))
    #expect(reads("-missing").1 == 2_000)
  }

  @Test func `another word copies one path of an index of words, and another edit none`() throws {
    let store = try Store(Message.self)
    try store.write { tx in
      for id in 0..<5_000 { try tx.insert(Message(id: id, body: "all \(id % 900) and \(id % 901)")) }
    }
    func nodesMade(_ edit: (inout Message) -> Void) throws -> Int {
      let before = store.snapshot()
      try store.write { tx in try tx.update(Message.self, 7) { edit(&$0) } }
      return store.snapshot().state.tables[0].inverted[0].nodesNotShared(
        with: before.state.tables[0].inverted[0])
    }
    #expect(try nodesMade { $0.body += " new" } <= 6)
    #expect(try nodesMade { $0.body += " new, ALL!" } == 0)
    #expect(try nodesMade { $0.opened += 1 } == 0)
    #expect(try nodesMade { $0.body = "and 7 all new 7" } == 0)
  }

  @Test func `a commit updates only the live searches for its old and new words`() async throws {
    let store = try Store(Message.self)
    try await store.write { tx in
      for id in 0..<100 { try tx.insert(Message(id: id, body: "number\(id) tail\(id) end\(id)")) }
    }
    let patterns = (0..<100).flatMap {
      ["number\($0)", "\"tail\($0) end\($0)\"", "qq\($0)*", "zz\($0)* or yy\($0)"]
    }
    let tokens = patterns.map { pattern in
      store.observe(Message.where { $0.body.search(pattern) }) { _ in }
    }
    try await store.settled()
    let start = store.metrics
    #expect(start.liveQueries == 400 && start.unroutedQueries == 0)
    func updates(_ edit: @Sendable (inout Message) -> Void) async throws -> Int {
      let before = store.metrics.updates
      try await store.write { tx in try tx.update(Message.self, 5) { edit(&$0) } }
      try await store.settled()
      return store.metrics.updates - before
    }
    #expect(try await updates { $0.opened += 1 } == 2)
    #expect(try await updates { $0.body = "number6 other" } == 3)
    #expect(try await updates { $0.body = "tail9 more" } == 2)
    #expect(try await updates { $0.body = "none of them" } == 1)
    #expect(try await updates { $0.body = "nor here" } == 0)
    #expect(try await updates { $0.body = "zz7x" } == 1)
    #expect(try await updates { $0.body = "qq8y and yy8" } == 3)
    #expect(store.metrics.unroutedTests == start.unroutedTests)
    tokens.forEach { $0.invalidate() }
    try await store.settled()
    #expect(try await updates { $0.body = "number5 yy7 zz7 qq7" } == 0)
  }
}
