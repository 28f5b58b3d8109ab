import Foundation
import LiveStore
import TestSupport
import Testing

/// The filters of the filter cases and orders by all properties, in SQLite and in the store.
@Suite struct SQLTests {
  typealias Item = CaseItem<NoCaseIndexes>
  typealias World = CaseWorld<NoCaseIndexes>

  /// Rows without NaN, which SQLite does not store.
  private static func world(_ seed: UInt64) -> World {
    var random = SplitMix64(seed: seed)
    var world = World(&random, count: 96)
    for index in world.items.indices {
      if world.items[index].real.isNaN { world.items[index].real = 0.25 }
      if world.items[index].maybeReal?.isNaN ?? false { world.items[index].maybeReal = 0.25 }
      // Some functions of SQLite end at a zero.
      if index % 5 == 0 { world.items[index].text = "x\0" + world.items[index].text }
    }
    return world
  }

  private static func store(_ world: World) throws -> Store {
    let store = try Store(Item.self, CaseOwner<NoCaseIndexes>.self)
    try store.write { tx in
      try tx.insert(contentsOf: world.owners.values.sorted { $0.id < $1.id })
      try tx.insert(contentsOf: world.items)
    }
    return store
  }

  /// Numbers of all types beside each other, beside constants and in operations.
  private static let numbers: [FilterCase<NoCaseIndexes>.Text] = {
    let names = [
      "int", "maybeInt", "small", "big", "real", "maybeReal", "float", "decimal", "maybeDecimal", "owner.age",
      "owner.score", "metadata[\"k\"]",
    ]
    let constants: [any Sendable] = [
      0, 0.1, 0.5, 0.1 + 0.2, 1, 1.5, 2, 2.0, 2.5, -1, -129, 300, 16_777_217, 1 << 53, 0x1p53, (1 << 53) + 1,
      Int.max, Int.min, UInt64.max, UInt64(1) << 63, 0x1p63, 0x1p64, 1e29, 1e300,
      Double.leastNonzeroMagnitude,
      Double.infinity, -Double.infinity, Double.nan, Float(0.1), CasePools.decimal("0.3"),
      CasePools.decimal("9007199254740992.5"),
    ]
    let operations = [
      "int + 2", "int - maybeInt", "maybeInt * 2", "int / 2", "int / small", "real / 2", "int * real",
      "int + 0.5", "real - small", "maybeInt / small", "int * small", "real / small",
    ]
    return CaseRelation.all.flatMap { relation in
      names.flatMap { name in
        names.map { .init(format: "\(name) \(relation) \($0)", arguments: []) }
          + constants.map { .init(format: "\(name) \(relation) %@", arguments: [$0]) }
      }
        + operations.flatMap { operation in
          ["0", "1", "nil"].map { .init(format: "\(operation) \(relation) \($0)", arguments: []) }
        }
    }
  }()

  @Test func `a filter finds the same rows in SQLite, also negated`() throws {
    let cases = CaseList<NoCaseIndexes>.all.map(\.text) + Self.numbers
    var (whole, whole2) = (Set<Int>(), 0)
    for seed in Seeds.forSuite(2, thorough: 12) {
      let world = Self.world(seed)
      let (database, snapshot) = (try Database(items: world.items), try Self.store(world).snapshot())
      for (index, filterCase) in cases.enumerated() {
        let (format, arguments) = (filterCase.format, filterCase.arguments)
        for text in [format, "NOT (\(format))"] {
          let query = try Item.where(format: text, arguments: arguments)
          let selection = query.sql(.sqlite)
          var found = try database.integers("SELECT id FROM items\(selection.clauses)", selection.arguments)
          if let remaining = selection.remaining {
            found = snapshot.fetch(remaining.where { $0.id.in(found) }).map(\.id)
          } else {
            whole.insert(index)
            whole2 += 1
          }
          let expected = snapshot.fetch(query).map(\.id)
          #expect(found.sorted() == expected, "seed \(seed): \(text) \(arguments) is \(selection)")
        }
      }
    }
    // What has a counterpart in SQL does not stay behind.
    #expect(
      whole.count >= 1_500 && whole2 > 0,
      "\(whole.count) of \(cases.count) filters are SQL and nothing else")
  }

  @Test func `filters written in Swift are rendered like those in text`() throws {
    for filterCase in CaseList<NoCaseIndexes>.all where filterCase.isShared {
      guard let typed = filterCase.typed else { continue }
      let query = try Item.where(format: filterCase.text.format, arguments: filterCase.text.arguments)
      #expect(typed.sql(.sqlite) == query.sql(.sqlite))
    }
  }

  @Test(arguments: [SortDirection.ascending, .descending])
  func `an order and its window are those of SQLite`(direction: SortDirection) throws {
    let orders: [Query<Item>] = [
      Item.all.sorted(by: \.int, direction), Item.all.sorted(by: \.maybeInt, direction),
      Item.all.sorted(by: \.real, direction), Item.all.sorted(by: \.maybeReal, direction),
      Item.all.sorted(by: \.text, direction), Item.all.sorted(by: \.maybeText, direction),
      Item.all.sorted(by: \.date, direction), Item.all.sorted(by: \.maybeUUID, direction),
      Item.all.sorted(by: \.maybeFlag, direction).sorted(by: \.text, direction),
      Item.where { $0.int > 0 }.sorted(by: \.maybeDate, direction),
    ]
    for seed in Seeds.forSuite(2, thorough: 12) {
      let world = Self.world(seed)
      let (database, snapshot) = (try Database(items: world.items), try Self.store(world).snapshot())
      for order in orders {
        let query = order.sorted(by: \.id)
        for window in [query, query.limit(7), query.offset(5), query.offset(3).limit(4)] {
          let selection = window.sql(.sqlite)
          #expect(selection.remaining == nil)
          let found = try database.integers("SELECT id FROM items\(selection.clauses)", selection.arguments)
          #expect(found == snapshot.fetch(window).map(\.id), "seed \(seed): \(selection.clauses)")
        }
      }
    }
  }

  @Test func `what SQL does not say stays behind, with the window that depends on it`() {
    let query = Item.where { $0.int > 3 && $0.text.contains("a", options: .caseInsensitive) }
      .sorted(by: \.int).limit(3)
    let selection = query.sql(.sqlite)
    #expect(selection.clauses == #" WHERE "int" > ? ORDER BY "int" ASC"#)
    #expect(selection.arguments == [.integer(3)])
    #expect(
      selection.remaining
        == Item.where { $0.text.contains("a", options: .caseInsensitive) }.sorted(by: \.int).limit(3))
    let postgres = Item.where { $0.maybeText != "x" && !($0.int < 3) }.sorted(by: \.text).sql(.postgreSQL) {
      "the \"\($0)"
    }
    #expect(
      postgres.clauses
        == #" WHERE "the ""maybeText" IS DISTINCT FROM $1 AND ("the ""int" < $2) IS NOT TRUE"#
        + #" ORDER BY "the ""text" COLLATE "C" ASC NULLS FIRST"#)
    #expect(postgres.arguments == [.text("x"), .integer(3)] && postgres.remaining == nil)
  }
}

extension Database {
  /// A table with a column for each property that has a counterpart in SQL.
  convenience init(items: [CaseItem<NoCaseIndexes>]) throws {
    try self.init()
    let columns = [
      "id", "flag", "maybeFlag", "int", "maybeInt", "small", "real", "maybeReal", "text", "maybeText", "data",
      "maybeData", "date", "maybeDate", "uuid", "maybeUUID", "kind", "maybeKind", "level", "shade", "code",
      "owner",
    ]
    try integers("CREATE TABLE items (\(columns.map { "\"\($0)\"" }.joined(separator: ", ")))")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    for item in items {
      let values: [SQLArgument?] = [
        .integer(Int64(item.id)), .bool(item.flag), item.maybeFlag.map { .bool($0) },
        .integer(Int64(item.int)),
        item.maybeInt.map { .integer(Int64($0)) }, .integer(Int64(item.small)), .real(item.real),
        item.maybeReal.map { .real($0) }, .composed(item.text), item.maybeText.map { .composed($0) },
        .data(item.data), item.maybeData.map { .data($0) }, .date(item.date),
        item.maybeDate.map { .date($0) },
        .uuid(item.uuid), item.maybeUUID.map { .uuid($0) }, .text(item.kind.rawValue),
        item.maybeKind.map { .text($0.rawValue) }, .integer(Int64(item.level.rawValue)),
        .text("\(item.shade)"),
        item.code.map { .composed($0) }, item.owner.map { .composed($0.id) },
      ]
      try integers("INSERT INTO items VALUES (\(marks))", values)
    }
  }
}

extension SQLArgument {
  fileprivate static func composed(_ text: String) -> SQLArgument {
    .text(text.precomposedStringWithCanonicalMapping)
  }
}
