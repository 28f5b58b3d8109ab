import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

/// Properties whose names mean something in SQL, or are hard to quote.
private struct Odd: Entity, Codable, Equatable {
  let id: Int
  var order: Int?
  var group: String?
  var rowid: Int?
  var rowidToo: Int?
  var oid: Int?
  var quote: String?
  var doubled: String?
  var words: String?
  var accent: Double?
  var script: [String]?
  var bracket: Int?
  var tick: Int?
  var end: Int?
  var dot: Int?
  var null: Int?
  static let schema = Schema<Odd> {
    Property(\.order, .unique)
    Property(\.group, .indexed)
    \.rowid
    \.rowidToo
    \.oid
    \.quote
    \.doubled
    \.words
    \.accent
    \.script
    \.bracket
    \.tick
    \.end
    \.dot
    \.null
  }

  enum CodingKeys: String, CodingKey {
    case id, order, group, rowid, oid
    case rowidToo = "_rowid_"
    case quote = "it's"
    case doubled = "say \"it\""
    case words = "two words"
    case accent = "größe"
    case script = "日本"
    case bracket = "[b]"
    case tick = "`t`"
    case end = "a; DROP TABLE Odd --"
    case dot = "a.b"
    case null = "NULL"
  }

  static func filled(_ id: Int) -> Odd {
    Odd(
      id: id, order: id * 10, group: "g", rowid: -id, rowidToo: id + 1, oid: id + 2, quote: "'",
      doubled: "\"",
      words: "a b", accent: 0.5, script: ["語"], bracket: 4, tick: 5, end: 6, dot: 7, null: 8)
  }
}

/// The same with other names, odd ones, too, and without some.
private enum Renamed {
  struct Odd: Entity, Codable, Equatable {
    let id: Int
    var a: String?
    var b: String?
    var c: Int?
    var d: [String]?
    var new: Int
    static let schema = Schema<Odd> {
      \.a
      \.b
      Property(\.c, .indexed)
      \.d
      \.new
    }

    enum CodingKeys: String, CodingKey {
      case id
      case a = "said \"what\"?"
      case b = "it's else"
      case c = "select"
      case d = "größe \u{1F600}"
      case new = "from; \"where\""
    }
  }

  static let migrations: [Migration] = [
    .renamed("say \"it\"", to: "said \"what\"?", in: Odd.self),
    .renamed("it's", to: "it's else", in: Odd.self),
    .renamed("order", to: "select", in: Odd.self),
    .renamed("日本", to: "größe \u{1F600}", in: Odd.self),
    .added("from; \"where\"", to: Odd.self, default: 3),
  ]
}

/// Entities and properties whose names differ by case alone.
private struct Item: Entity, Codable, Equatable {
  let id: Int
  var name: String?
  var upper: String?
  static let schema = Schema<Item> {
    \.name
    \.upper
  }
  enum CodingKeys: String, CodingKey {
    case id, name
    case upper = "NAME"
  }
}

private struct ITEM: Entity, Codable, Equatable {
  let id: Int
  var other: Int
  static let schema = Schema<ITEM> { \.other }
}

private enum Lower {
  struct Note: Entity, Codable, Equatable {
    let id: Int
    var title: String?
    static let schema = Schema<Note> { \.title }
  }
}

private enum Upper {
  struct NOTE: Entity, Codable, Equatable {
    let id: Int
    var title: String?
    static let schema = Schema<NOTE> { \.title }
    enum CodingKeys: String, CodingKey {
      case id
      case title = "Title"
    }
  }
}

/// Names of columns that the file has of its own.
private struct Own: Entity, Codable, Equatable {
  let id: Int
  var place: Int?
  var check: String?
  static let schema = Schema<Own> {
    \.place
    \.check
  }
  enum CodingKeys: String, CodingKey {
    case id
    case place = "_place"
    case check = "_check"
  }
}

/// Names of entities that mean something in SQL.
private struct Table<Value: Codable & Equatable & Sendable>: Entity, Codable, Equatable {
  let id: Int
  var value: Value
  static var schema: Schema<Table> { Schema { \.value } }
}

private struct Index: Entity, Codable, Equatable {
  let id: Int
  var table: Ref<Table<Int>>?
  static let schema = Schema<Index> { Relation(\.table) }
}

private struct Straße: Entity, Codable, Equatable {
  let id: Int
  var größe: Int
  static let schema = Schema<Straße> { \.größe }
}

@Suite(.timeLimit(.minutes(10))) struct `Names that are hard to quote` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: Sealing.allCases)
  func `properties of odd names are written, read, renamed, added and removed`(sealing: Sealing) async throws
  {
    let odd = [Odd.filled(2), Odd(id: 1), Odd.filled(3)]
    try await folder.write(Odd.self, options: sealing.options()) { tx in try tx.insert(contentsOf: odd) }
    #expect(try await folder.all(Odd.self, options: sealing.options()) == odd)
    let options = sealing.options(Renamed.migrations)
    let expected = odd.map {
      Renamed.Odd(id: $0.id, a: $0.doubled, b: $0.quote, c: $0.order, d: $0.script, new: 3)
    }
    for _ in 0..<2 {
      let file = try await StoreFile.open(at: folder.file, Renamed.Odd.self, options: options)
      #expect(Array(file.store.fetch(Renamed.Odd.all)) == expected)
      try await file.compact()
      try await file.close()
    }
    if sealing == .plain {
      let names = ["id"] + ["said \"what\"?", "it's else", "select", "größe \u{1F600}", "from; \"where\""]
      let columns = try await folder.columns(of: "Odd").filter { !["_place", "_check"].contains($0) }
      #expect(Set(columns) == Set(names))
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a step reads and changes properties of odd names`(sealing: Sealing) async throws {
    let odd = [Odd.filled(2), Odd(id: 1)]
    try await folder.write(Odd.self, options: sealing.options()) { tx in try tx.insert(contentsOf: odd) }
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.renameProperty("_rowid_", of: "Odd", to: "tmp \"'")
      try tx.renameProperty("rowid", of: "Odd", to: "_rowid_")
      try tx.renameProperty("tmp \"'", of: "Odd", to: "rowid")
      try tx.removeProperty("a; DROP TABLE Odd --", of: "Odd")
      try tx.update("Odd") { row in try row.set("it's", to: row.value("NULL", as: Int?.self).map { "\($0)" })
      }
    }
    var expected = odd
    (expected[0].rowid, expected[0].rowidToo) = (odd[0].rowidToo, odd[0].rowid)
    (expected[0].end, expected[0].quote) = (nil, "8")
    for _ in 0..<2 {
      #expect(try await folder.all(Odd.self, options: sealing.options([step])) == expected)
    }
  }

  /// SQLite takes names that differ by case alone for the same.
  @Test(arguments: Sealing.allCases)
  func `properties whose names differ by case alone are kept apart, or refused by name`(sealing: Sealing)
    async throws
  {
    let item = Item(id: 1, name: "lower", upper: "UPPER")
    do {
      try await folder.write(Item.self, options: sealing.options()) { tx in try tx.insert(item) }
      #expect(try await folder.all(Item.self, options: sealing.options()) == [item])
    } catch let error as StoreFileError {
      #expect(error.message.contains("NAME") && error.message.contains("Item"), "\(error)")
    }
  }

  @Test(arguments: Sealing.allCases)
  func `entities whose names differ by case alone are kept apart, or refused by name`(sealing: Sealing)
    async throws
  {
    do {
      try await folder.write(Item.self, ITEM.self, options: sealing.options()) { tx in
        try tx.insert(ITEM(id: 1, other: 1))
      }
      #expect(try await folder.all(ITEM.self, options: sealing.options()) == [ITEM(id: 1, other: 1)])
    } catch let error as StoreFileError {
      #expect(error.message.contains("ITEM") && error.message.contains("case"), "\(error)")
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an entity that is new and differs from an earlier one by case alone takes nothing from it`(
    sealing: Sealing
  ) async throws {
    try await folder.write(Lower.Note.self, options: sealing.options()) { tx in
      try tx.insert(Lower.Note(id: 1, title: "a"))
    }
    do {
      try await folder.write(Upper.NOTE.self, options: sealing.options()) { tx in
        try #require(tx.count(Upper.NOTE.all) == 0)
        try tx.insert(Upper.NOTE(id: 2, title: "b"))
      }
      #expect(try await folder.all(Upper.NOTE.self, options: sealing.options()).map(\.id) == [2])
    } catch let error as StoreFileError {
      #expect(error.message.contains("NOTE") && error.message.contains("case"), "\(error)")
      #expect(error.code != .ioFailed, "\(error)")
    }
    #expect(
      try await folder.all(Lower.Note.self, options: sealing.options()) == [Lower.Note(id: 1, title: "a")])
  }

  @Test(arguments: Sealing.allCases)
  func `an entity and a property can be renamed by case alone`(sealing: Sealing) async throws {
    try await folder.write(Lower.Note.self, options: sealing.options()) { tx in
      for id in [2, 1] { try tx.insert(Lower.Note(id: id, title: "t\(id)")) }
    }
    let options = sealing.options([
      .renamed("Note", to: Upper.NOTE.self), .renamed("title", to: "Title", in: Upper.NOTE.self),
    ])
    for _ in 0..<2 {
      let notes = try await folder.all(Upper.NOTE.self, options: options)
      #expect(notes.map(\.title) == ["t2", "t1"])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a property can be renamed by case alone in a step`(sealing: Sealing) async throws {
    try await folder.write(Lower.Note.self, options: sealing.options()) { tx in
      for id in [2, 1] { try tx.insert(Lower.Note(id: id, title: "t\(id)")) }
    }
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.renameProperty("title", of: "Note", to: "Title")
      try tx.renameEntity("Note", to: "NOTE")
    }
    for _ in 0..<2 {
      let notes = try await folder.all(Upper.NOTE.self, options: sealing.options([step]))
      #expect(notes.map(\.title) == ["t2", "t1"])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `properties with the names of the file's own columns are kept, or refused by name`(sealing: Sealing)
    async throws
  {
    let own = [Own(id: 2, place: 7, check: "x"), Own(id: 1, place: 7, check: "x")]
    do {
      try await folder.write(Own.self, options: sealing.options()) { tx in try tx.insert(contentsOf: own) }
      #expect(try await folder.all(Own.self, options: sealing.options()) == own)
    } catch let error as StoreFileError {
      #expect(error.message.contains("_place") || error.message.contains("_check"), "\(error)")
    }
  }

  @Test(arguments: Sealing.allCases)
  func `entities of odd names are written, read and linked`(sealing: Sealing) async throws {
    try await folder.write(
      Table<Int>.self, Index.self, Straße.self, Table<String>.self, options: sealing.options()
    ) { tx in
      try tx.insert(Table(id: 1, value: 5))
      try tx.insert(Table(id: 1, value: "five"))
      try tx.insert(Index(id: 1, table: Ref(1)))
      try tx.insert(Straße(id: 1, größe: 2))
    }
    try await folder.read(
      Straße.self, Table<String>.self, Index.self, Table<Int>.self,
      options: sealing.options([.added("größe", to: Straße.self, default: 1)])
    ) { snapshot in
      #expect(snapshot[Table<Int>.self, 1]?.value == 5 && snapshot[Table<String>.self, 1]?.value == "five")
      #expect(snapshot.fetch(Index.where { $0.table.value == 5 }).count == 1)
      #expect(snapshot[Straße.self, 1]?.größe == 2)
    }
    let renamed = Migration.renamed("Table<Int>", to: Table<Double>.self)
    #expect(
      try await folder.all(Table<Double>.self, options: sealing.options([renamed])) == [
        Table(id: 1, value: 5)
      ])
  }
}
