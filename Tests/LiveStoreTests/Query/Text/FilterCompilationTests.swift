import LiveStore
import Synchronization
import TestSupport
import Testing

/// An object whose properties are only known at run time.
private struct Item: DynamicEntity, Hashable {
  let id: Int
  var body: JSONValue

  static let schema = Schema<Item>(dynamic: { item, path in item.body[path: path] })
}

@Suite struct FilterCompilationTests {
  private static let values: [JSONValue?] = [
    nil, .null, false, true, -1, 0, 1, 1.5, 2, 9_007_199_254_740_993, 9_007_199_254_740_992.5, "", "a", "A",
    "ab", "é", "b\u{301}c",
    [], [1], ["a"], [:], ["x": 1],
  ]

  /// An object for each pair of values of `a` and `b`.
  private static let items: [Item] = {
    var items: [Item] = []
    for a in values {
      for b in values {
        var members: [(key: String, value: JSONValue)] = []
        if let a { members.append((key: "a", value: a)) }
        if let b { members.append((key: "b", value: b)) }
        items.append(Item(id: items.count, body: .object(JSONObject(members))))
      }
    }
    return items
  }()

  /// Twenty filters, joined: one with each number in place of the number signs.
  private static func many(_ filter: String, _ join: String) -> String {
    (0..<20).map { filter.replacing("#", with: "\($0)") }.joined(separator: " \(join) ")
  }

  /// Every relation between every kind of operands, and some joins.
  private static let filters: [String] = {
    let constants = [
      "nil", "false", "true", "-1", "1", "1.0", "1.5", "9007199254740993", "''", "'a'", "'É'", "'b'",
    ]
    var filters = [
      "TRUEPREDICATE", "FALSEPREDICATE", "NOT a = 1", "a = 1 AND (b = 1 OR NOT b = 'a')",
      "a = 1 OR (a = 2 OR b = 1)",
    ]
    filters += [
      "a BETWEEN {0, 2} AND b BETWEEN {'', 'b'}", "TRUEPREDICATE AND (b < 2 AND a > 0)",
      "FALSEPREDICATE OR a IN {1, 'a'}",
    ]
    filters += [
      "a IN {1, 'a', nil}", "a IN {}", "1 IN a", "a IN b", "nil IN a", "a.x = 1", "a.0 = 'a'", "1 IN {1}",
      "a BETWEEN {'a', 2}",
    ]
    for relation in ["==", "!=", "<", "<=", ">", ">="] {
      filters.append("a \(relation) b")
      filters += constants.flatMap { ["a \(relation) \($0)", "\($0) \(relation) a", "1 \(relation) \($0)"] }
    }
    for relation in [
      "CONTAINS", "BEGINSWITH", "ENDSWITH", "CONTAINS[cd]", "BEGINSWITH[c]", "ENDSWITH[d]", "==[cd]", "!=[c]",
    ] {
      filters.append("a \(relation) b")
      filters += ["'a'", "''", "'É'", "'B'", "1"].flatMap { ["a \(relation) \($0)", "\($0) \(relation) a"] }
    }
    // Chains that are long enough to be tested as one.
    let values = ["nil", "false", "1", "1.5", "2", "'a'", "'ab'", "'é'"]
    for word in [" AND ", " OR "] {
      for term in [
        "a == %", "% == a", "a != %", "NOT a == %", "a CONTAINS %", "a < %", "a <= % AND b == %", "a ==[c] %",
        "a IN {%, 1} AND b != %", "(a == % AND b > %)", "a BETWEEN {0, %}", "a == % OR b == a",
        "ANY a != %", "ALL a != %", "NONE a != %", "ANY a[*] != %",
      ] {
        filters.append(
          values.map { "(\(term.replacing("%", with: $0)))" }.joined(separator: word) + word + "b == 2")
      }
    }
    return filters
  }()

  @Test func `the store answers a text filter as its meaning says`() throws {
    // In the usual run, each filter is asked for a quarter of the objects.
    let parts = Environment.size(4, thorough: 1)
    let items = (0..<parts).map { part in Self.items.filter { $0.id % parts == part } }
    let stores = try items.map { items -> Store in
      let store = try Store(Item.self)
      try store.write { try $0.insert(contentsOf: items) }
      return store
    }
    for (number, text) in Self.filters.enumerated() {
      let filter = try FilterSyntax(parsing: text)
      let part = number % parts
      let found = stores[part].snapshot().fetch(Item.all.where(filter)).map(\.id)
      #expect(found == filter.select(items[part], \.body).map(\.id), "\(text)")
    }
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 4))
  func `a live query of a text filter follows what its meaning says`(seed: UInt64) async throws {
    let store = try Store(Item.self)
    let filters = try Self.filters.map { try FilterSyntax(parsing: $0) }
    let last = Mutex<[[Int]]>(Array(repeating: [], count: filters.count))
    let tokens = filters.enumerated().map { index, filter in
      store.observe(Item.all.where(filter)) { change in
        last.withLock { $0[index] = change.results?.map(\.id) ?? [-1] }
      }
    }
    var random = SplitMix64(seed: seed)
    for _ in 0..<Environment.size(3, thorough: 25) {
      try await store.write { tx in
        for _ in 0..<5 {
          let body = Self.items.randomElement(using: &random)?.body ?? .null
          try tx.upsert(Item(id: Int.random(in: 0..<8, using: &random), body: body))
        }
      }
      try await store.settled()
      let all = store.snapshot().fetch(Item.all)
      for (index, filter) in filters.enumerated() {
        let expected = filter.select(all, \.body).map(\.id)
        #expect(last.withLock { $0[index] } == expected, "seed \(seed): \(filter)")
      }
    }
    tokens.forEach { $0.invalidate() }
  }

  @Test func `filters of one text are one query`() throws {
    let text = "a == 1 AND b >= 2 AND a IN {1, 2} AND b BEGINSWITH 'x'"
    let (left, right) = (try FilterSyntax(parsing: text), try FilterSyntax(parsing: text))
    #expect(Item.all.where(left) == Item.all.where(right))
    #expect(Item.all.where(left).description.contains("a == 1 && b >= 2"))
  }

  @Test(arguments: [
    ("a == 1", true), ("a > 1 AND b != 2", true), ("a IN {1, 2}", true), ("a BEGINSWITH 'x'", true),
    ("a BETWEEN {1, 2}", true), (many("a == #", "OR"), true), (many("a == # AND b > #", "OR"), true),
    (many("a < #", "OR"), true), (many("a != #", "AND") + " AND b == 1", true),
    (many("a == # OR b == #", "OR"), false), ("NOT a == 1", false), ("a == b", false), ("a ==[c] 'x'", true),
    ("a ==[c] b", false), ("a + 1 == 2", false), ("ANY a == 1", false),
  ])
  func `commits are routed to filters by the values they let pass`(text: String, isRouted: Bool) async throws
  {
    let store = try Store(Item.self)
    let token = store.observe(Item.all.where(try FilterSyntax(parsing: text))) { _ in }
    try await store.settled()
    #expect(store.metrics.unroutedQueries == (isRouted ? 0 : 1))
    token.invalidate()
  }

  @Test func `typed expressions over paths mean the same`() throws {
    let store = try Store(Item.self)
    try store.write { try $0.insert(contentsOf: Self.items) }
    let queries: [(Query<Item>, String)] = [
      (Item.where { $0["a"] < 1.5 }, "a < 1.5"),
      (Item.where { $0["a"] >= "a" && $0["b"] <= true }, "a >= 'a' AND b <= true"),
      (Item.where { $0["a"] == nil }, "a == nil"), (Item.where { $0["a", "x"] == 1 }, "a.x == 1"),
      (Item.where { $0["a"] > $0["b"] }, "a > b"),
      (Item.where { $0["a"].in([1, "a", nil]) }, "a IN {1, 'a', nil}"),
      (Item.where { $0["a"].in(0...2) }, "a BETWEEN {0, 2}"),
      (Item.where { $0["a"].in(1...) }, "a >= 1"), (Item.where { $0["a"].in(..<"b") }, "a < 'b'"),
      (Item.where { $0["a"].contains("e", options: .diacriticInsensitive) }, "a CONTAINS[d] 'e'"),
      (Item.where { !$0["a"].beginsWith("a") }, "NOT a BEGINSWITH 'a'"),
      (Item.where { $0["a"].endsWith("b") }, "a ENDSWITH 'b'"),
    ]
    for (query, text) in queries {
      let filter = try FilterSyntax(parsing: text)
      #expect(
        store.snapshot().fetch(query).map(\.id) == filter.select(Self.items, \.body).map(\.id),
        "\(text)")
    }
  }

  @Test func `an explanation names the paths that no object has`() throws {
    let store = try Store(Item.self)
    let query = Item.where { $0["statsu"] == "open" && $0["a", "x"] > 1 && $0["b"] != nil }
      .sorted(byPath: ["ball"]).limit(3).where { $0["statsu"] != 2 && $0["late"] == 1 }
    #expect(
      !query.explain(in: store.snapshot()).contains("no object"), "of no objects there is nothing to say")
    try store.write {
      try $0.insert(Item(id: 1, body: ["b": 1]))
      try $0.insert(Item(id: 2, body: ["a": ["x": 1]]))
    }
    let plan = query.explain(in: store.snapshot())
    #expect(plan.hasSuffix(", no object has statsu, no object has ball, no object has late"), "\(plan)")
    let text = Item.all.where(try FilterSyntax(parsing: "b CONTAINS statsu OR id == 1 AND a.x > 0"))
    let textPlan = text.explain(in: store.snapshot())
    #expect(textPlan.hasSuffix(", no object has statsu, no object has id"), "\(textPlan)")
    #expect(!Item.where { $0["b"] == 1 && $0.id == 1 }.explain(in: store.snapshot()).contains("no object"))
  }

  /// Bug: `$0["nmae"]` compiled for entities with listed properties, and matched nothing.
  @Test func `entities with listed properties have no paths`() {
    // Where the library has no such subscript, the one below is taken.
    let typed: Any = Row<Typed>()["nmae"]
    #expect(typed is NoPath)
    let dynamic: Any = Row<Item>()["nmae"]
    #expect(dynamic is Expr<JSONValue>)
  }

  @Test func `a dynamic entity that lists properties is refused`() {
    let error = #expect(throws: StoreError.self) { try Store(Confused.self) }
    #expect(error?.code == StoreError.invalidSchema && error?.entity == "Confused")
  }

  private struct Typed: Entity {
    let id: Int
    var name = ""
    static let schema = Schema<Typed> { \.name }
  }

  private struct Confused: DynamicEntity {
    let id: Int
    var name = ""
    static let schema = Schema<Confused> { \.name }
  }

  @Test(arguments: Seeds.forSuite(1, thorough: 10))
  func `sorting by paths is by the order of JSON values, ties in order of insertion`(seed: UInt64) throws {
    let store = try Store(Item.self)
    var random = SplitMix64(seed: seed)
    let items = Self.items.shuffled(using: &random)
    try store.write { try $0.insert(contentsOf: items) }
    let positions = Dictionary(uniqueKeysWithValues: items.enumerated().map { ($0.element.id, $0.offset) })
    let found = store.snapshot().fetch(Item.all.sorted(byPath: ["a"], .descending).sorted(byPath: ["b"]))
    let expected = items.sorted { left, right in
      let (a, b) = (left.body[path: ["a"]], right.body[path: ["a"]])
      if a != b { return b < a }
      let (c, d) = (left.body[path: ["b"]], right.body[path: ["b"]])
      return c != d ? c < d : positions[left.id, default: 0] < positions[right.id, default: 0]
    }
    #expect(found.map(\.id) == expected.map(\.id), "seed \(seed)")
  }
}

private struct NoPath {}

extension Row {
  @_disfavoredOverload
  fileprivate subscript(_ names: String...) -> NoPath { NoPath() }
}
