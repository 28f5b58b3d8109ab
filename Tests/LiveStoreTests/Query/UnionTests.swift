import LiveStore
import TestSupport
import Testing

private struct Shelf: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Shelf> { \.name }
}

private struct Item: Entity {
  let id: Int
  var a = 0
  var b = 0
  var c: Int?
  var tags: [String] = []
  var body = ""
  var shelf: Ref<Shelf>?
  var plain = 0
  var serial = 0
  static let schema = Schema<Item> {
    Property(\.a, .indexed)
    Property(\.b, .indexed)
    Property(\.c, .indexed)
    Property(\.tags, .indexedElements)
    Property(\.body, .searchable)
    Relation(\.shelf)
    \.plain
    Property(\.serial, .indexed)
  }
}

private typealias Condition = (filter: Filter<Item>, test: @Sendable (Item) -> Bool)

/// Filters that several indexes serve together: alternatives over several properties, and conjunctions.
@Suite struct UnionTests {
  private static let shelf = Ref<Shelf>(3)

  private static func row(_ id: Int) -> Item {
    Item(
      id: id, a: id * 37 % 100, b: id * 71 % 90, c: id % 3 == 0 ? nil : id * 13 % 80, tags: ["t\(id % 70)"],
      body: "word\(id % 60) all", shelf: Ref(id % 50), plain: id % 7, serial: id)
  }

  /// Row numbers begin beyond 64 and have holes.
  private func store() throws -> (Store, [Item]) {
    let store = try Store(Item.self, Shelf.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<50).map { Shelf(id: $0) })
      try tx.insert(contentsOf: (0..<2_300).map(Self.row))
      for id in 0..<300 { try tx.delete(Item.self, id) }
      for id in stride(from: 301, to: 2_300, by: 11) { try tx.delete(Item.self, id) }
    }
    return (store, store.fetch(Item.all).map { $0 })
  }

  private static let unions: [Condition] = [
    (Filter { $0.a == 3 || $0.b == 5 }, { $0.a == 3 || $0.b == 5 }),
    (Filter { $0.a == 3 || $0.b == 5 || $0.a == 7 }, { $0.a == 3 || $0.b == 5 || $0.a == 7 }),
    (Filter { $0.a < 5 || $0.c == 70 || $0.id == 1_000 }, { $0.a < 5 || $0.c == 70 || $0.id == 1_000 }),
    (
      Filter { $0.a == 3 && $0.plain == 1 || $0.b == 5 && $0.plain == 2 },
      { $0.a == 3 && $0.plain == 1 || $0.b == 5 && $0.plain == 2 }
    ),
    (
      Filter { $0.plain == 1 && $0.a == 3 || $0.plain == 2 && $0.a == 4 },
      { $0.plain == 1 && $0.a == 3 || $0.plain == 2 && $0.a == 4 }
    ),
    (
      Filter { $0.tags.contains("t7") || $0.a == 3 || $0.shelf == shelf },
      { $0.tags.contains("t7") || $0.a == 3 || $0.shelf == shelf }
    ),
    (Filter { $0.body.search("word7") || $0.b == 5 }, { $0.body.hasPrefix("word7 ") || $0.b == 5 }),
    (
      Filter { ($0.a == 3 || $0.b == 5) && ($0.a == 4 || $0.c == 6 || $0.plain == 3) },
      { ($0.a == 3 || $0.b == 5) && ($0.a == 4 || $0.c == 6 || $0.plain == 3) }
    ),
    (Filter { $0.a == 300 || $0.b == 500 }, { _ in false }),
    // Few rows, one of them twice.
    (Filter { $0.serial == 1_000 || $0.id == 1_000 }, { $0.id == 1_000 }),
    (
      Filter { $0.serial == 1_001 || $0.id == 400 || $0.a == 3 },
      { $0.a == 3 || [400, 1_001].contains($0.id) }
    ),
  ]

  private static let scans: [Condition] = [
    (Filter { $0.a < 50 || $0.b > 50 }, { $0.a < 50 || $0.b > 50 }),
    (Filter { $0.a == 3 || $0.plain == 5 }, { $0.a == 3 || $0.plain == 5 }),
  ]

  private static let intersections: [Condition] = [
    (Filter { $0.a < 15 && $0.b < 15 }, { $0.a < 15 && $0.b < 15 }),
    (
      Filter { $0.a > 80 && $0.c > 60 && $0.plain != 3 },
      { $0.a > 80 && $0.c.map { $0 > 60 } ?? false && $0.plain != 3 }
    ),
    (
      Filter { $0.a < 20 && $0.b < 20 && $0.c < 20 },
      { $0.a < 20 && $0.b < 20 && $0.c.map { $0 < 20 } ?? false }
    ),
  ]

  @Test func `alternatives over several properties test the rows of their indexes, each once`() throws {
    let (store, rows) = try store()
    let snapshot = store.snapshot()
    for (filter, test) in Self.unions {
      let tested = Recorder<Int>()
      let query = Item.where(filter)
      let plan = query.explain(in: snapshot)
      #expect(!plan.hasPrefix("scan"), "\(plan)")
      let ids = rows.filter(test).map(\.id)
      #expect(snapshot.fetch(query).map(\.id) == ids, "\(plan)")
      #expect(snapshot.count(query) == ids.count, "\(plan)")
      #expect(snapshot.fetch(query.sorted(by: \.plain, .descending)).map(\.id) == sorted(rows.filter(test)))
      var work = QueryWork()
      _ = snapshot.state.context.evaluate(
        query.filter {
          tested.append($0.id); return true
        }.stages, 0, &work)
      #expect(tested.events == ids, "\(plan)")
      #expect(work.rowsTested < rows.count / 4, "\(plan): \(work)")
    }
  }

  private func sorted(_ rows: [Item]) -> [Int] {
    rows.enumerated().sorted { ($1.element.plain, $0.offset) < ($0.element.plain, $1.offset) }.map(
      \.element.id)
  }

  @Test func `the first rows of alternatives end the search`() throws {
    let (store, rows) = try store()
    let snapshot = store.snapshot()
    var work = QueryWork()
    let query = Item.where { $0.a < 3 || $0.b == 5 }.offset(2).limit(3)
    let found = snapshot.state.context.evaluate(query.stages, 0, &work)
    #expect(found.count == 3)
    #expect(snapshot.fetch(query).map(\.id) == rows.filter { $0.a < 3 || $0.b == 5 }[2..<5].map(\.id))
    #expect(work.rowsTested == 5)
  }

  @Test func `alternatives that most rows pass, or one of which no index serves, are a scan`() throws {
    let (store, rows) = try store()
    for (filter, test) in Self.scans {
      let query = Item.where(filter)
      #expect(query.explain(in: store.snapshot()).hasPrefix("scan"))
      #expect(store.fetch(query).map(\.id) == rows.filter(test).map(\.id))
    }
  }

  @Test func `a conjunction over several indexes tests the rows that all of them have`() throws {
    let (store, rows) = try store()
    let snapshot = store.snapshot()
    for (filter, test) in Self.intersections {
      let query = Item.where(filter)
      let plan = query.explain(in: snapshot)
      #expect(plan.hasPrefix("index Item.") && plan.contains(" and index Item."), "\(plan)")
      var work = QueryWork()
      _ = snapshot.state.context.evaluate(query.stages, 0, &work)
      #expect(snapshot.fetch(query).map(\.id) == rows.filter(test).map(\.id), "\(plan)")
      #expect(snapshot.count(query) == rows.count(where: test), "\(plan)")
      // Each index alone has about 300.
      #expect(work.rowsTested < 75, "\(plan): \(work)")
    }
  }

  @Test func `an index with few rows is not intersected with one that has many`() throws {
    let (store, rows) = try store()
    let query = Item.where { $0.a == 3 && $0.b < 80 }
    #expect(query.explain(in: store.snapshot()).hasPrefix("index Item.a:"))
    #expect(store.fetch(query).map(\.id) == rows.filter { $0.a == 3 && $0.b < 80 }.map(\.id))
  }

  @Test func `plans are named with all their indexes`() throws {
    let (store, _) = try store()
    let snapshot = store.snapshot()
    let first = Item.where { $0.a == 3 || $0.id == 5 }.explain(in: snapshot)
    let second = Item.where { $0.tags.contains("t7") || $0.shelf == Self.shelf }.explain(in: snapshot)
    #expect(first.hasPrefix("index Item.a or id of Item: "))
    #expect(second.hasPrefix("elements Item.tags or links Item.shelf: "))
  }
}
