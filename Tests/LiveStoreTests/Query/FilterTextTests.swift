import Foundation
import LiveStore
import Testing

@Suite("Filters as text, coded, and joined to fewer conditions") struct FilterTextTests {
  typealias Item = FilterValueTests.Item
  typealias Condition = (Row<Item>) -> Expr<Bool>

  private func filter(_ condition: Condition) -> Filter<Item> { Filter(condition) }

  @Test func `a filter is shown as the text that reads as an equal filter`() throws {
    let filters: [(Filter<Item>, String)] = [
      (
        filter { $0.count >= 10 && $0.name.contains("tea", options: .caseInsensitive) },
        "count >= 10 AND name CONTAINS[c] \"tea\""
      ),
      (
        filter { ($0.count == 1 || $0.label == nil) && !($0.name == "a\"b") },
        "(count == 1 OR label == NULL) AND name != \"a\\\"b\""
      ),
      (filter { $0.count.in(2...5) }, "count BETWEEN {2, 5}"),
      (filter { $0.count.in(2..<5) }, "count >= 2 AND count < 5"),
      (filter { $0.name.in(["a", "b"]) }, "name IN {\"a\", \"b\"}"),
      (filter { $0.count * 2 - 1 > $0.scores.count }, "((count * 2) - 1) > scores.@count"),
      (filter { $0.limit < $0.count.double / 2 }, "limit < (double(count) / 2.0)"),
      (filter { ($0.label ?? "none") == "x" }, "ifnull(label, \"none\") == \"x\""),
      (filter { $0.metadata["k"] == "v" }, "metadata[\"k\"] == \"v\""),
      (filter { $0.scores.contains { $0 > 3 } }, "ANY scores > 3"),
      (
        filter { $0.scores.contains { $0 > 3 && $0 != 7 } },
        "SUBQUERY(scores, $x, (($x > 3) AND ($x != 7))).@count > 0"
      ),
      (filter { $0.scores.allSatisfy { $0 > 3 } }, "ALL scores > 3"),
      (filter { $0.scores.contains { $0 == 3 } }, "scores CONTAINS 3"),
      (filter { $0.scores.allSatisfy { $0 != 3 } }, "NOT scores CONTAINS 3"),
      (
        filter { $0.colors.contains("red") && $0.scores.max() > 2 },
        "colors CONTAINS \"red\" AND scores.@max > 2"
      ),
      (filter { !$0.scores.isEmpty }, "scores.@isEmpty == FALSE"),
      (
        filter { $0.name.like("t?a") && $0.name.beginsWith($0.label) },
        "name LIKE \"t?a\" AND name BEGINSWITH label"
      ),
      (filter { $0.paid == $0.limit && $0.paid < 0.5 }, "paid == limit AND paid < 0.5"),
      (.everything, "TRUEPREDICATE"), (.nothing, "FALSEPREDICATE"),
    ]
    for (filter, text) in filters {
      #expect("\(filter)" == text)
      #expect(try Filter<Item>(format: text) == filter, "\(text)")
    }
  }

  @Test func `a filter that no text says has none, and is shown in Swift's syntax`() {
    let query = Item.filter { $0.count > 3 }
    #expect(query.format == nil)
    #expect(Item.all.tracking().format == "TRUEPREDICATE")
    #expect(Item.all.sorted(by: \.count).limit(3).where { $0.count > 1 }.format == nil)
    let unwritable = Filter<Item> { $0.metadata == ["k": "v"] }
    #expect(unwritable.format == nil && "\(unwritable)" == "metadata == [\"k\": \"v\"]")
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([unwritable]) }
  }

  @Test func `filters and queries are coded as text, which is checked against the schema`() throws {
    let filter = Filter<Item> { $0.count >= 3 && $0.name != "a" }
    let data = try JSONEncoder().encode([filter])
    #expect(String(decoding: data, as: UTF8.self) == #"["count >= 3 AND name != \"a\""]"#)
    #expect(try JSONDecoder().decode([Filter<Item>].self, from: data) == [filter])
    let query = Item.where(filter).sorted(by: \.name, .descending).sorted(by: \.count).offset(2).limit(5)
    let text = #"count >= 3 AND name != "a" SORT(name DESC, count ASC) OFFSET(2) LIMIT(5)"#
    #expect(query.format == text)
    #expect(try JSONDecoder().decode([Query<Item>].self, from: JSONEncoder().encode([query])) == [query])
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Filter<Item>].self, from: Data(#"["cuont > 3"]"#.utf8))
    }
    #expect("\(try #require(error))".contains("did you mean count"))
  }

  @Test func `bounds of one property are one range, and bounds without a value between them pass nothing`() {
    #expect(filter { $0.count >= 1 && $0.count < 9 } == filter { $0.count.in(1..<9) })
    #expect(
      filter { $0.count <= 9 && $0.name == "a" && $0.count >= 1 }
        == filter { $0.count.in(1...9) && $0.name == "a" })
    #expect(filter { $0.count > 1 && $0.count > 3 } == filter { $0.count > 3 })
    #expect(filter { $0.count > 3 && $0.count >= 3 } == filter { $0.count > 3 })
    #expect(filter { $0.count >= 3 && $0.count > 3 } == filter { $0.count > 3 })
    #expect(filter { $0.count.in(1..<9) && $0.count.in(3..<20) } == filter { $0.count.in(3..<9) })
    #expect(filter { $0.count > 3 && $0.count < 3 } == .nothing)
    #expect(filter { $0.count > 3 && $0.count <= 3 } == .nothing)
    #expect(filter { $0.count >= 3 && $0.count <= 3 } == filter { $0.count.in(3...3) })
    #expect(filter { $0.count.in(5...) } == filter { $0.count >= 5 })
    #expect(filter { $0.count.in(..<5) } == filter { $0.count < 5 })
    let parts = [filter { $0.count >= 1 }, filter { $0.name == "a" }, filter { $0.count < 9 }]
    #expect(Filter.all(of: parts) == filter { $0.count.in(1..<9) && $0.name == "a" })
    // NaN bounds nothing, and is not in the order.
    #expect(filter { $0.limit > .nan && $0.limit < 3 } != .nothing)
  }

  @Test func `a range of two conditions is searched between both bounds`() throws {
    let store = try Store(Item.self)
    try store.write { tx in for id in 0..<1_000 { try tx.insert(Item(id: id, count: id)) } }
    let snapshot = store.snapshot()
    for query in [
      Item.where { $0.count >= 500 && $0.count < 503 }, Item.where { $0.count < 503 && $0.count > 499 },
      try Item.where(format: "count >= 500 AND name == '' AND count < 503"),
    ] {
      #expect(Array(snapshot.fetch(query).ids) == [500, 501, 502])
      #expect(query.explain(in: snapshot).contains("3 rows") || query.explain(in: snapshot).contains("3 of"))
    }
  }

  @Test func `bounds of two types of JSON are no range`() throws {
    struct Body: DynamicEntity {
      let id: Int
      let body: JSONValue
      static let schema = Schema<Body>(dynamic: { $0.body[path: $1] })
    }
    let store = try Store(Body.self)
    let values: [JSONValue] = [1, 5, "a", "z", true, nil, [1]]
    try store.write { tx in
      for (id, value) in values.enumerated() { try tx.insert(Body(id: id, body: ["a": value])) }
    }
    #expect(try store.fetch(Body.where(format: "a > 1 AND a > 'b'")).isEmpty)
    #expect(try store.fetch(Body.where(format: "a > 1 AND a < 'b'")).isEmpty)
    #expect(try Array(store.fetch(Body.where(format: "a > 1 AND a >= 2 AND a < 9")).ids) == [1])
  }

  private struct Page: Entity {
    var id = 0, title = "", body: String?
    var owner: Ref<Page>?
    static let schema = Schema<Page> {
      Property(\.title, .searchable)
      Property(\.body, .searchable)
      Relation(\.owner)
    }
  }

  @Test func `a search for words has a text`() throws {
    let store = try Store(Page.self)
    try store.write { tx in
      try tx.insert(Page(id: 1, title: "Café au lait", body: "warm milk", owner: Ref(2)))
      try tx.insert(Page(id: 2, title: "Tea", body: nil))
      try tx.insert(Page(id: 3, title: "Milk tea", body: "no coffee"))
    }
    let cases: [(String, Filter<Page>, [Int])] = [
      ("body TEXT \"milk\"", Filter { $0.body.search("MILK") }, [1]),
      ("title TEXT 'cafe la*'", Filter { $0.title.search("cafe la*") }, [1]),
      ("SELF TEXT 'milk -coffee'", Filter { $0.search("milk -coffee") }, [1]),
      ("SELF TEXT 'milk or tea'", Filter { $0.search("milk or tea") }, [1, 2, 3]),
      ("owner.title TEXT 'tea'", Filter { $0.owner.title.search("tea") }, [1]),
      ("NOT body TEXT '\"no coffee\"'", Filter { !$0.body.search(.phrase("no coffee")) }, [1, 2]),
    ]
    for (text, filter, ids) in cases {
      #expect(Array(store.fetch(Page.where(filter)).ids) == ids, "\(text)")
      #expect(try Filter<Page>(format: text) == filter)
      #expect(try Filter<Page>(format: #require(filter.format)) == filter)
    }
    #expect(
      Filter<Page> { $0.search("milk \"au lait\"") }.format
        == #"SELF TEXT "milk" AND SELF TEXT "\"au lait\"""#)
    #expect(throws: StoreError.self) { try Item.where(format: "SELF TEXT 'x'") }
    #expect(throws: StoreError.self) { try Page.where(format: "title TEXT body") }
  }
}
