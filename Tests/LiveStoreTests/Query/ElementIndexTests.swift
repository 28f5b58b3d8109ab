import LiveStore
import TestSupport
import Testing

private enum Kind: Hashable, Sendable, CaseIterable {
  case note, task, draft, letter, photo, sketch, report, memo
}

private struct Page: Entity, Equatable {
  let id: Int
  var title = ""
  var tags: [String] = []
  var marks: Set<Int> = []
  var scores: [Double] = []
  var kinds: Set<Kind>?
  var holes: [String?] = []
  static let schema = Schema<Page> {
    \.title
    Property(\.tags, .indexedElements)
    Property(\.marks, .indexed, .indexedElements)
    Property(\.scores, .indexedElements)
    Property(\.kinds, .indexedElements)
    Property(\.holes, "gaps", .indexedElements)
  }
}

private struct Refused: Error {}

/// A query, and what its condition means.
private struct ExpectedCase: Sendable {
  let query: Query<Page>
  private let term: Term

  init(_ condition: (Row<Page>) -> Expr<Bool>) {
    (query, term) = (Page.where(condition), condition(Row()).term)
  }

  func of(_ rows: some Sequence<Page>) -> [Int] { rows.filter { TermMeaning().holds(term, $0) }.map(\.id) }
}

private let words = (0..<40).map { "w\($0)" } + ["é", "e\u{301}", "\u{e9}x", "e\u{301}x"]
private let numbers =
  [0.0, -0.0, .nan, Double(nan: 7, signaling: false), .infinity] + (1...30).map(Double.init)

extension SplitMix64 {
  fileprivate mutating func page(_ id: Int) -> Page {
    var page = Page(id: id, title: pick(["a", "b"]))
    page.tags = some(of: words, upTo: 3)
    if let first = page.tags.first, chance(1, in: 3) { page.tags.append(first) }
    page.marks = Set(some(of: Array(0..<60), upTo: 3))
    page.scores = some(of: numbers, upTo: 3)
    page.kinds = chance(1, in: 2) ? nil : chance(1, in: 3) ? [pick(Kind.allCases)] : []
    page.holes = some(of: words.map(Optional.some), upTo: 2) + (chance(1, in: 20) ? [nil] : [])
    return page
  }

  /// Changes one collection, or what is in none.
  fileprivate mutating func edit(_ page: inout Page) {
    let other = self.page(page.id)
    switch int(0...7) {
    case 0: page.tags = other.tags
    case 1: page.tags.append(pick(words))
    case 2: page.tags.shuffle(using: &self)
    case 3: page.marks.formSymmetricDifference(other.marks)
    case 4:
      page.scores = page.scores.map { $0.isNaN ? Double(nan: UInt64(int(1...9)), signaling: false) : $0 }
    case 5: page.kinds = other.kinds
    case 6: page.holes = other.holes
    default: page.scores = other.scores
    }
    page.title = other.title
  }

  fileprivate mutating func queryCase() -> ExpectedCase {
    let (word, second, number, mark, kind) = (
      pick(words), pick(words), pick(numbers), int(0...62), pick(Kind.allCases)
    )
    return switch int(0...10) {
    case 0: ExpectedCase { $0.tags.contains(word) }
    case 1: ExpectedCase { $0.marks.contains(mark) }
    case 2: ExpectedCase { $0.scores.contains(number) }
    case 3: ExpectedCase { $0.kinds.contains(kind) }
    case 4: ExpectedCase { $0.holes.contains(word) }
    case 5: ExpectedCase { $0.holes.contains(nil) }
    case 6: ExpectedCase { $0.title == "a" && $0.tags.contains(word) }
    case 7: ExpectedCase { $0.tags.contains(word) && $0.tags.contains(second) }
    case 8: ExpectedCase { $0.tags.contains(word) || $0.tags.contains(second) && $0.title == "b" }
    case 9: ExpectedCase { $0.tags.contains(word) || $0.tags == [second] }
    default: ExpectedCase { !$0.tags.contains(word) }
    }
  }
}

@Suite struct `An index of elements` {
  private func filled(_ count: Int = 200) throws -> Store {
    let store = try Store(Page.self)
    try store.write { tx in
      for id in 0..<count {
        try tx.insert(
          Page(
            id: id, title: id % 2 == 0 ? "a" : "b", tags: ["t\(id % 40)", "all", "t\(id % 40)"],
            marks: [id / 5], scores: [Double(id), .nan], kinds: id < 5 ? [.note] : nil,
            holes: id == 7 ? [nil] : ["x"]))
      }
    }
    return store
  }

  @Test func `an index of elements serves contains, in conjunctions and alternatives, and is explained`()
    throws
  {
    let snapshot = try filled().snapshot()
    let queries: [(Query<Page>, String, [Int])] = [
      (Page.where { $0.tags.contains("t3") }, "elements Page.tags: 5 of 200 rows", [3, 43, 83, 123, 163]),
      (Page.where { $0.marks.contains(4) }, "elements Page.marks: 5 of 200 rows", Array(20..<25)),
      (Page.where { $0.scores.contains(9) }, "elements Page.scores: 1 of 200 rows", [9]),
      (Page.where { $0.kinds.contains(.note) }, "elements Page.kinds: 5 of 200 rows", Array(0..<5)),
      (Page.where { $0.holes.contains(nil) }, "elements Page.gaps: 1 of 200 rows", [7]),
      (
        Page.where { $0.title == "b" && $0.tags.contains("all") && $0.tags.contains("t3") },
        "elements Page.tags: 5 of 200 rows", [3, 43, 83, 123, 163]
      ),
      (
        Page.where { $0.tags.contains("t3") && $0.marks.contains(0) }, "elements Page.", [3]
      ),
      (
        Page.where { $0.tags.contains("t0") || $0.tags.contains("t1") && $0.title == "b" },
        "elements Page.tags: 10 of 200 rows", [0, 1, 40, 41, 80, 81, 120, 121, 160, 161]
      ),
      (Page.where { $0.tags.contains("nowhere") }, "elements Page.tags: 0 of 200 rows", []),
      (
        Page.where { $0.tags.contains("t3") }.sorted(by: \.id, .descending).limit(2), "elements Page.tags",
        [163, 123]
      ),
      (Page.where { $0.tags.contains("t3") }.offset(1).limit(2), "elements Page.tags", [43, 83]),
      (Page.where { $0.tags.contains("all") }, "scan", Array(0..<200)),
      (Page.where { $0.tags == ["t3", "all", "t3"] }, "scan", [3, 43, 83, 123, 163]),
      (Page.where { $0.tags.contains("t3") || $0.title == "c" }, "scan", [3, 43, 83, 123, 163]),
      (Page.where { $0.marks == [4] }, "index Page.marks", Array(20..<25)),
      (
        Page.where { $0.marks.contains(4) || $0.marks == [5] }, "elements Page.marks or index Page.marks",
        Array(20..<30)
      ),
    ]
    for (query, plan, ids) in queries {
      #expect(query.explain(in: snapshot).hasPrefix(plan), "\(query): \(query.explain(in: snapshot))")
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(query)")
      #expect(snapshot.count(query) == ids.count, "\(query)")
    }
  }

  @Test func `an index of elements lists an object once for repeated elements and for alternatives`()
    throws
  {
    let snapshot = try filled().snapshot()
    #expect(snapshot.count(Page.where { $0.tags.contains("t3") }) == 5)
    let both = Page.where { $0.tags.contains("t3") || $0.tags.contains("t3") || $0.scores.contains(1000) }
    #expect(snapshot.fetch(both).map(\.id) == [3, 43, 83, 123, 163])
    let store = try Store(Page.self)
    try store.write { tx in
      for id in 0..<100 { try tx.insert(Page(id: id, tags: id < 3 ? ["x", "y", "x"] : [])) }
    }
    let either = Page.where { $0.tags.contains("x") || $0.tags.contains("y") }
    #expect(either.explain(in: store.snapshot()).hasPrefix("elements Page.tags: 6 of 100 rows"))
    #expect(store.snapshot().fetch(either).map(\.id) == [0, 1, 2])
    #expect(store.snapshot().count(either) == 3)
    try store.write { tx in _ = try tx.update(Page.self, 0) { $0.tags.removeLast() } }
    #expect(store.snapshot().fetch(Page.where { $0.tags.contains("x") }).map(\.id) == [0, 1, 2])
  }

  @Test func `an index of elements finds text in any normal form, and no NaN, as a scan does`() throws {
    let store = try filled()
    try store.write { tx in
      try tx.insert(Page(id: 1000, tags: ["é"]))
      try tx.insert(Page(id: 1001, tags: ["e\u{301}"], scores: [-0.0]))
    }
    let snapshot = store.snapshot()
    for word in ["é", "e\u{301}"] {
      let query = Page.where { $0.tags.contains(word) }
      #expect(query.explain(in: snapshot).hasPrefix("elements Page.tags: 2 of 202 rows"))
      #expect(snapshot.fetch(query).map(\.id) == [1000, 1001])
    }
    #expect(snapshot.fetch(Page.where { $0.scores.contains(0) }).map(\.id) == [0, 1001])
    #expect(snapshot.fetch(Page.where { $0.scores.contains(.nan) }).isEmpty)
  }

  /// A NaN is the same value as any other, so the property counts as left alone; its hash is another.
  @Test func `an index of elements keeps no entry of a NaN whose bits changed`() throws {
    let store = try filled(10)
    try store.write { tx in
      try tx.update(Page.self, 1) {
        $0.scores[1] = Double(nan: 9, signaling: false)
        $0.title = "new"
      }
    }
    #expect(try store.snapshot().breachOfTables() == nil)
    try store.write { tx in try tx.delete(Page.self, 1) }
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `an index of elements gives what a scan gives within a transaction, also after an undo in it`()
    throws
  {
    let store = try filled()
    let query = Page.where { $0.tags.contains("new") }
    try? store.write { tx in
      try tx.update(Page.self, 3) { $0.tags.append("new") }
      try tx.insert(Page(id: 500, tags: ["new"]))
      #expect(tx.fetch(query).map(\.id) == [3, 500])
      #expect(throws: Refused.self) {
        try tx.savepoint { tx in
          try tx.update(Page.self, 4) { $0.tags = ["new", "new"] }
          try tx.delete(Page.self, 3)
          #expect(tx.fetch(query).map(\.id) == [4, 500] && tx.count(query) == 2)
          throw Refused()
        }
      }
      #expect(tx.fetch(query).map(\.id) == [3, 500] && tx.count(query) == 2)
      throw Refused()
    }
    #expect(store.snapshot().fetch(query).isEmpty)
    #expect(try store.snapshot().breachOfTables() == nil)
  }

  @Test func `a store that is made from a snapshot has an index of elements of its own`() throws {
    let original = try filled()
    let copy = Store(copying: original.snapshot())
    let query = Page.where { $0.tags.contains("t3") }
    try copy.write { tx in
      try tx.delete(Page.self, 43)
      try tx.update(Page.self, 4) { $0.tags.append("t3") }
    }
    try original.write { tx in try tx.delete(Page.self, 3) }
    #expect(query.explain(in: copy.snapshot()).hasPrefix("elements Page.tags: 5 of 199 rows"))
    #expect(copy.snapshot().fetch(query).map(\.id) == [3, 4, 83, 123, 163])
    #expect(original.snapshot().fetch(query).map(\.id) == [43, 83, 123, 163])
    #expect(try copy.snapshot().breachOfTables() == nil && original.snapshot().breachOfTables() == nil)
  }

  @Test(.timeLimit(.minutes(10)), arguments: Seeds.forSuite(2, thorough: 6))
  func `an index of elements gives what plain Swift gives, in every version and to observers`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try Store(Page.self)
    try await store.write { tx in
      for id in 0..<150 { try tx.insert(random.page(id)) }
    }
    var held: [(snapshot: Snapshot, queryCase: ExpectedCase, ids: [Int])] = []
    var observed: [(queryCase: ExpectedCase, observer: CheckedObserver<Page>, token: NotificationToken)] = []
    var indexed = 0
    for step in 0..<30 {
      let writes = random.fork()
      try? await store.write { tx in
        var random = writes
        for _ in 0..<random.int(1...4) {
          let fails = random.chance(1, in: 3)
          try? tx.savepoint { tx in
            for _ in 0..<random.int(1...3) { try Self.edit(tx, &random) }
            try Self.check(tx, random.queryCase())
            if fails { throw Refused() }
          }
          try Self.check(tx, random.queryCase())
        }
        if random.chance(1, in: 5) { throw Refused() }
      }
      let snapshot = store.snapshot()
      #expect(try snapshot.breachOfTables() == nil, "step \(step)")
      let rows = Array(snapshot.fetch(Page.all))
      for _ in 0..<6 {
        let queryCase = random.queryCase()
        held.append((snapshot, queryCase, queryCase.of(rows)))
        if queryCase.query.explain(in: snapshot).hasPrefix("elements") { indexed += 1 }
      }
      for (snapshot, queryCase, ids) in held {
        #expect(snapshot.fetch(queryCase.query).map(\.id) == ids, "step \(step): \(queryCase.query)")
        #expect(snapshot.count(queryCase.query) == ids.count, "step \(step): \(queryCase.query)")
      }
      if held.count > 60 { held.removeAll { _ in random.chance(1, in: 2) } }
      if step % 5 == 0 {
        let (queryCase, observer) = (random.queryCase(), CheckedObserver<Page>())
        observed.append((queryCase, observer, store.observe(queryCase.query) { observer.receive($0) }))
      }
      try await store.settled()
      for (queryCase, observer, _) in observed {
        #expect(observer.rows.map { $0.map(\.id) } == queryCase.of(rows), "step \(step): \(queryCase.query)")
        #expect(observer.breaches == [], "step \(step): \(queryCase.query)")
      }
    }
    #expect(indexed > 60, "most queries are served by the index: \(indexed)")
    for (_, _, token) in observed { token.invalidate() }
  }

  private static func edit(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64) throws {
    let id = random.int(0...170)
    switch (tx[Page.self, id], random.int(0...9)) {
    case (nil, _): try tx.insert(random.page(id))
    case (_, 0): try tx.delete(Page.self, id)
    case (_, 1): try tx.upsert(random.page(id))
    default: try tx.update(Page.self, id) { random.edit(&$0) }
    }
  }

  private static func check(_ tx: borrowing WriteTransaction, _ queryCase: ExpectedCase) throws {
    let ids = queryCase.of(tx.fetch(Page.all))
    #expect(tx.fetch(queryCase.query).map(\.id) == ids, "in a transaction: \(queryCase.query)")
    #expect(tx.count(queryCase.query) == ids.count, "in a transaction: \(queryCase.query)")
  }
}
