import Testing

import LiveStorePostgreSQL

@Suite struct `Types of a database` {
  /// Rows of the catalogue's query as PostgreSQL 15 gave them.
  private static let rows: [[String?]] = [
    ["16500", "posint2", "posint2", "d", "0", "16392", ",", nil],
    ["16499", "posint2[]", "_posint2", "b", "16500", "0", ",", nil],
    ["22", "int2vector", "int2vector", "b", "0", "0", ",", nil],
    ["1186", "interval", "interval", "b", "0", "0", ",", nil],
    ["1187", "interval[]", "_interval", "b", "1186", "0", ",", nil],
    ["16385", "status", "status", "e", "0", "0", ",", #"{open,"in progress",closed}"#],
    ["16384", "status[]", "_status", "b", "16385", "0", ",", nil],
    ["16392", "posint", "posint", "d", "0", "23", ",", nil],
    ["16391", "posint[]", "_posint", "b", "16392", "0", ",", nil],
    ["16395", "citext", "citext", "b", "0", "0", ",", nil],
    ["16400", "citext[]", "_citext", "b", "16395", "0", ",", nil],
    ["603", "box", "box", "b", "0", "0", ";", nil],
    ["1020", "box[]", "_box", "b", "603", "0", ",", nil],
  ]

  @Test func `types are known by their ids`() throws {
    let catalog = try TypeCatalog(rows: Self.rows)
    #expect(catalog.type(16385) == .enumeration(name: "status", labels: ["open", "in progress", "closed"]))
    #expect(catalog.type(16384).element == catalog.type(16385))
    #expect(catalog.type(16392) == .int4 && catalog.type(16500) == .int4)
    #expect(catalog.type(16499) == .array(of: .int4) && catalog.type(16391) == .array(of: .int4))
    #expect(catalog.type(16395).kind == .text && catalog.type(16395).name == "citext")
    #expect(catalog.type(16400).element?.kind == .text)
    #expect(catalog.type(1186).kind == .other && catalog.type(22).kind == .other)
    #expect(catalog.type(1020).element?.delimiter == UInt8(ascii: ";"))
    #expect(catalog.type(23) == .int4 && catalog.type(1007) == .array(of: .int4))
    #expect(catalog.type(99_999).kind == .other && catalog.type(99_999).description == "type 99999")
  }

  /// Bug: whatever had the name was read as a text, a composite type in its binary form, too.
  @Test(arguments: ["c", "r", "m"]) func `a type that is citext by its name alone is none`(kind: String)
    throws
  {
    let catalog = try TypeCatalog(rows: [["16601", "app.citext", "citext", kind, "0", "0", ",", nil]])
    #expect(catalog.type(16601).kind == .other && !catalog.type(16601).isBinarySafe)
  }

  @Test func `types are read in binary form if their elements are`() throws {
    let catalog = try TypeCatalog(rows: Self.rows)
    for id in [16385, 16384, 16500, 16499, 16400, 1700, 2951, 3807] as [UInt32] {
      #expect(catalog.type(id).isBinarySafe)
    }
    for id in [1186, 1187, 22, 603, 1020, 99_999] as [UInt32] { #expect(!catalog.type(id).isBinarySafe) }
    #expect(RowLayout(table: "t", names: ["a", "b"], types: [.int4, .text]).isBinarySafe)
    #expect(!RowLayout(table: "t", names: ["a", "b"], types: [.int4, .other(name: "x")]).isBinarySafe)
  }

  /// Bug: the text of arrays within arrays, by domains, doubled with each of forty levels.
  @Test func `an array of a domain over an array is read as the text that the server makes`() throws {
    let catalog = try TypeCatalog(rows: [
      ["16501", "d1", "d1", "d", "0", "1007", ",", nil],
      ["16502", "d1[]", "_d1", "b", "16501", "0", ",", nil],
      ["16503", "d2", "d2", "d", "0", "16502", ",", nil],
    ])
    #expect(catalog.type(16501) == .array(of: .int4))
    #expect(catalog.type(16502).kind == .other && !catalog.type(16502).isBinarySafe)
    #expect(catalog.type(16503) == catalog.type(16502) && catalog.type(16503).description == "d1[]")
  }

  @Test func `a catalogue that contradicts itself is not followed for ever`() throws {
    let catalog = try TypeCatalog(rows: [
      ["16501", "a", "a", "d", "0", "16502", ",", nil], ["16502", "b", "b", "d", "0", "16501", ",", nil],
    ])
    #expect(catalog.type(16501).kind == .other)
  }

  @Test func `rows that are no types are a violation of the protocol`() {
    for row in [
      [], ["1"], ["x", "a", "a", "d", "0", "0", ",", nil], ["1", nil, "a", "d", "0", "0", ",", nil],
    ] as [[String?]] {
      #expect(throws: PostgresError.self) { try TypeCatalog(rows: [row]) }
    }
  }

  @Test func `a layout has the columns of a relation`() {
    let relation = RelationMessage(
      id: 1, namespace: "public", name: "posts", replicaIdentity: UInt8(ascii: "d"),
      columns: [
        .init(name: "id", isKey: true, typeID: 20, modifier: -1),
        .init(name: "x", isKey: false, typeID: 25, modifier: -1),
      ])
    let layout = RowLayout(relation, TypeCatalog())
    #expect(layout.table == "public.posts" && layout.names == ["id", "x"] && layout.isKey == [true, false])
    #expect(layout.types == [.int8, .text] && layout.index(of: "x") == 1 && layout.index(of: "y") == nil)
  }
}
