import Foundation
import LiveStore
import Testing

private struct Owner: Entity {
  let id: UUID
  var name: String
  static let schema = Schema<Owner> { \.name }
}

private enum Kind: String, Codable { case small, large }

private struct Size: Codable, Equatable {
  var width: Double
  var made: Date
}

private struct NoForm: Equatable, Sendable { var value = 0 }

private struct Thing: Entity {
  let id: Int
  var text = ""
  var flag = false
  var small: Int8 = 0
  var large: UInt64 = 0
  var number = 0.0
  var single: Float = 0
  var price: Decimal = 0
  var date = Date(timeIntervalSince1970: 0)
  var key: UUID?
  var link: URL?
  var words: [String] = []
  var gaps: [Int?] = []
  var kind = Kind.small
  var size: Size?
  var json = JSONValue.null
  var noForm = NoForm()
  var owner: Ref<Owner>?
  static let schema = Schema<Thing> {
    \.text
    \.flag
    \.small
    \.large
    \.number
    \.single
    \.price
    \.date
    \.key
    \.link
    \.words
    \.gaps
    \.kind
    \.size
    \.json
    \.noForm
    Relation(\.owner)
  }
}

@Suite("Fields of rows as JSON text")
struct JSONFieldsTests {
  private func text(
    _ thing: Thing, _ paths: RowPaths<Thing>, owner: Owner? = nil
  ) throws -> String {
    let store = try Store(Thing.self, Owner.self)
    try store.write { tx in
      if let owner { try tx.insert(owner) }
      try tx.insert(thing)
    }
    var rows = store.fetch(Thing.all).jsonRows(try JSONFields(paths))
    var bytes: [UInt8] = []
    while rows.next() { try rows.writeFields(to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("texts, numbers, Booleans and what is absent are as JSON has them")
  func plainValues() throws {
    var thing = Thing(id: 1)
    thing.text = "a\"\\\n\u{1}é"
    (thing.flag, thing.small, thing.large) = (true, .min, .max)
    (thing.number, thing.single) = (0.1, -2.5)
    thing.price = try #require(Decimal(string: "12.340"))
    (thing.words, thing.gaps) = (["x", ""], [1, nil])
    #expect(
      try text(
        thing, [\.text, \.flag, \.small, \.large, \.number, \.single, \.price, \.words, \.gaps, \.key])
        == #"{"text":"a\"\\\n\u0001é","flag":true,"small":-128,"large":18446744073709551615,"number":0.1,"#
        + #""single":-2.5,"price":12.34,"words":["x",""],"gaps":[1,null],"key":null}"#)
  }

  @Test("numbers that JSON does not have are texts")
  func specialNumbers() throws {
    var thing = Thing(id: 1)
    for (number, text) in [(Double.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity")] {
      thing.number = number
      #expect(try self.text(thing, [\.number]) == "{\"number\":\"\(text)\"}")
    }
    thing.price = .nan
    #expect(try self.text(thing, [\.price]) == #"{"price":"NaN"}"#)
  }

  @Test(
    "dates are as in RFC 3339",
    arguments: [
      (0.0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
      (1_700_000_000.25, "2023-11-14T22:13:20.25Z"), (-62_167_219_200, "0000-01-01T00:00:00Z"),
      (-62_167_219_201, "-000001-12-31T23:59:59Z"), (253_402_300_800, "+010000-01-01T00:00:00Z"),
      (-11_676_096_000, "1600-01-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
      (4_107_542_400, "2100-03-01T00:00:00Z"),
    ])
  func dates(seconds: Double, expected: String) throws {
    var thing = Thing(id: 1)
    thing.date = Date(timeIntervalSince1970: seconds)
    #expect(try text(thing, [\.date]) == "{\"date\":\"\(expected)\"}")
  }

  @Test("each day of four centuries is the one of Foundation's calendar")
  func days() throws {
    let formatter = ISO8601DateFormatter()
    var thing = Thing(id: 1)
    for day in stride(from: -73_000, to: 73_000, by: 97) {
      thing.date = Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200)
      #expect(try text(thing, [\.date]) == "{\"date\":\"\(formatter.string(from: thing.date))\"}")
    }
  }

  @Test("other values are as their encoder writes them, with the same dates")
  func encodedValues() throws {
    var thing = Thing(id: 1)
    thing.kind = .large
    thing.size = Size(width: .infinity, made: Date(timeIntervalSince1970: 0.5))
    thing.json = ["b": 1, "a": [true]]
    thing.key = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    thing.link = URL(string: "https://example.com/a/b")
    #expect(
      try text(thing, [\.kind, \.size, \.json, \.key, \.link])
        == #"{"kind":"large","size":{"made":"1970-01-01T00:00:00.5Z","width":"Infinity"},"json":{"b":1,"a":[true]},"#
        + #""key":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8","link":"https://example.com/a/b"}"#)
  }

  @Test("linked values are those of the result's version, and null without an object")
  func linkedValues() throws {
    let owner = Owner(id: UUID(), name: "Ann")
    #expect(try text(Thing(id: 1), [\.owner.name], owner: owner) == #"{"owner.name":null}"#)
    #expect(
      try text(Thing(id: 1, owner: Ref(owner.id)), [\.owner.name], owner: owner) == #"{"owner.name":"Ann"}"#)

    let store = try Store(Thing.self, Owner.self)
    try store.write { tx in
      try tx.insert(owner)
      try tx.insert(Thing(id: 1, owner: Ref(owner.id)))
    }
    let before = store.fetch(Thing.all)
    try store.write { tx in try tx.update(Owner.self, owner.id) { $0.name = "Bea" } }
    let fields = try JSONFields<Thing>([\.owner.name])
    #expect(fields.names == ["owner.name"])
    for (results, name) in [(before, "Ann"), (store.fetch(Thing.all), "Bea")] {
      var (rows, bytes) = (results.jsonRows(fields), [UInt8]())
      let hasRow = rows.next()
      #expect(hasRow)
      try rows.writeFields(to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == "{\"owner.name\":\"\(name)\"}")
    }
  }

  @Test("rows are those of some positions, in their order, with their ids as texts")
  func positions() throws {
    let store = try Store(Thing.self, Owner.self)
    try store.write { tx in for id in 1...200 { try tx.insert(Thing(id: id, number: Double(200 - id))) } }
    let fields = try JSONFields<Thing>([\.number])
    for query in [Thing.all, Thing.sorted(by: \.number), Thing.where { $0.number > 50 }.limit(100)] {
      let results = store.fetch(query)
      var rows = results.jsonRows(fields, in: 7..<90)
      var keys: [String] = []
      while rows.next() {
        var bytes: [UInt8] = []
        try rows.writeKey(to: &bytes)
        keys.append(String(decoding: bytes, as: UTF8.self))
      }
      #expect(keys == results[7..<90].map { "\"\($0.id)\"" })
      rows = results.jsonRows(fields, in: 7..<90)
      for position in [82, 0, 5, 5, 81] {
        var bytes: [UInt8] = []
        rows.go(to: position)
        try rows.writeKey(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == keys[position])
      }
      let hasLast = rows.next()
      let hasMore = rows.next()
      #expect(hasLast && !hasMore)
    }
    var none = store.fetch(Thing.where { $0.number < 0 }).jsonRows(fields)
    let hasRow = none.next()
    #expect(!hasRow)
  }

  @Test("a field without a JSON form, and one that is given twice, are errors that name it")
  func errors() {
    #expect {
      _ = try JSONFields<Thing>([\.text, \.noForm])
    } throws: { ($0 as? StoreError)?.code == .invalidSchema && ($0 as? StoreError)?.property == "noForm" }
    #expect {
      _ = try JSONFields<Thing>([\.text, \.text])
    } throws: { ($0 as? StoreError)?.code == .invalidSchema && ($0 as? StoreError)?.property == "text" }
  }
}

@Suite("Earlier versions and their changes")
struct EarlierVersionTests {
  @Test("a snapshot of an earlier version has its rows, and the changes lead from there to now")
  func earlierVersion() throws {
    let store = try Store(Thing.self, Owner.self)
    for id in 1...5 { try store.write { tx in try tx.insert(Thing(id: id, number: Double(id))) } }
    let query = Thing.sorted(by: \.number, .descending)
    let before = try store.snapshot(at: Version(3)).fetch(query)
    #expect(before.map(\.id) == [3, 2, 1])
    try store.write { tx in
      try tx.update(Thing.self, 1) { $0.number = 2.5 }
      try tx.delete(Thing.self, 3)
    }
    let changes = before.changes(to: store.fetch(query))
    #expect(changes.previous.version == Version(3))
    #expect(changes.current.map(\.id) == [5, 4, 1, 2])
    #expect(changes.deletions == [0])
    #expect(changes.insertions == [0, 1])
    #expect(changes.modifications.map(\.id) == [1])
    #expect(store.fetch(query).changes(to: store.fetch(query)).isEmpty)
  }

  @Test("a version that the history has no more, or that is not made yet, is an error")
  func truncated() throws {
    var configuration = Store.Configuration()
    configuration.historyCommits = 2
    let store = try Store(Thing.self, Owner.self, configuration: configuration)
    for id in 1...5 { try store.write { tx in try tx.insert(Thing(id: id)) } }
    #expect(try store.snapshot(at: Version(5)).version == Version(5))
    #expect(try store.snapshot(at: Version(3)).fetch(Thing.all).count == 3)
    for version in [2, 6] as [UInt64] {
      #expect { _ = try store.snapshot(at: Version(version)) } throws: {
        ($0 as? StoreError)?.code == .historyTruncated
      }
    }
  }

  @Test("a linked value that paths track is a change of its row")
  func tracking() throws {
    let store = try Store(Thing.self, Owner.self)
    let owner = Owner(id: UUID(), name: "Ann")
    try store.write { tx in
      try tx.insert(owner)
      try tx.insert(Thing(id: 1, owner: Ref(owner.id)))
    }
    let fields = try JSONFields<Thing>([\.text, \.owner.name])
    let before = store.snapshot()
    try store.write { tx in try tx.update(Owner.self, owner.id) { $0.name = "Bea" } }
    let (plain, tracking) = (Thing.all, Thing.all.tracking(fields.paths))
    #expect(before.fetch(plain).changes(to: store.fetch(plain)).isEmpty)
    #expect(before.fetch(tracking).changes(to: store.fetch(tracking)).modifications.map(\.id) == [1])
  }

  @Test("a query written as text is applied to the rows of another")
  func applying() throws {
    let store = try Store(Thing.self, Owner.self)
    try store.write { tx in for id in 1...9 { try tx.insert(Thing(id: id, number: Double(id))) } }
    let query = try Thing.where { $0.number < 7 }.applying(format: "number > 2 SORT(number DESC) LIMIT(3)")
    #expect(store.fetch(query).map(\.id) == [6, 5, 4])
    #expect {
      _ = try Thing.all.applying(
        format: "TRUEPREDICATE SORT(text ASC)", limits: .ofClients(paths: ["number"]))
    } throws: { ($0 as? StoreError)?.limit == .paths }
  }
}
