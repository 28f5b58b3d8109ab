import LiveStore
import PostgreSQLTestSupport
import Testing

import LiveStorePostgreSQL

private struct Refused: Error, CustomStringConvertible { let description = "no such colour" }

/// An entity whose coding is code of the user's that throws.
private struct Guarded: Entity, Codable {
  let id: Int
  var title: String
  static let schema = Schema<Guarded> { \.title }

  init(id: Int, title: String) { (self.id, self.title) = (id, title) }

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: Key.self)
    (id, title) = (try row.decode(Int.self, forKey: .id), try row.decode(String.self, forKey: .title))
  }

  func encode(to encoder: any Encoder) throws { throw Refused() }

  private enum Key: String, CodingKey { case id, title }
}

/// An entity whose id is a text.
private struct Named: Entity {
  let id: String
  static let schema = Schema<Named> {}
}

@Suite struct `Declared tables` {
  private let store: Store

  init() throws {
    store = try Store(Page.self, Guarded.self)
    try store.write { tx in
      try tx.insert(Page(1, "a"))
      try tx.insert(Guarded(id: 1, title: "a"))
    }
  }

  private func reader<Element: Entity>(_ member: Replicated<Element>) throws -> any RowReader {
    try #require(try member.replicated.table()).makeReader(Page.layout)
  }

  private func check(_ operation: String, _ body: () throws -> Void) {
    let error = #expect(throws: PostgresError.self, "\(operation)") { try body() }
    #expect(error?.code == PostgresError.mismatch && error?.table == "public.pages", "\(operation)")
    #expect(error?.message.contains("public.pages") == true, "\(operation)")
    #expect(error?.message.contains("no such colour") == true, "\(operation)")
  }

  /// Bug: a second copy and edits hashed such ids, half a million marks in minutes, while the store could not be written.
  @Test func `an id with very many marks is refused`() throws {
    let store = try Store(Named.self)
    let rows = Page.rows((1, "a" + String(repeating: "\u{301}", count: 1_001)), (2, "b"))
    let reader = try reader(
      Replicated("pages", Named.self, id: { try $0.decode("title") }) { Named(id: try $0.decode("title")) })
    try store.write { tx in
      func check(_ body: () throws -> Void) {
        let error = #expect(throws: PostgresError.self) { try body() }
        #expect(error?.code == PostgresError.invalidTable && error?.table == "public.pages")
      }
      check { try reader.stage(rows) }
      check { try reader.insert(rows[0], in: &tx) }
      check { try reader.update(nil, isFull: false, to: rows[0], in: &tx) }
      try reader.insert(rows[1], in: &tx)
    }
    #expect(store.fetch(Named.all).map(\.id) == ["b"])
  }

  @Test func `what code of the program throws for a row names the table and says what it was`() throws {
    let rows = Page.rows((1, "a"))
    let reader = try reader(Replicated("pages", Page.self) { _ in throw Refused() })
    try store.write { tx in
      check("copy") { try reader.stage(rows) }
      check("insert") { try reader.insert(rows[0], in: &tx) }
      check("update") { try reader.update(nil, isFull: false, to: rows[0], in: &tx) }
      // The id is read by a column.
      try reader.delete(rows[0], isFull: true, in: &tx)
    }
    let ids = try self.reader(Replicated("pages", Page.self, id: { _ in throw Refused() }))
    try store.write { tx in
      check("id of an update") { try ids.update(nil, isFull: false, to: rows[0], in: &tx) }
      check("id of a deletion") { try ids.delete(rows[0], isFull: true, in: &tx) }
    }
    // Of the object before, what an update leaves out is taken.
    let guarded = try self.reader(Replicated("pages", Guarded.self))
    let unchanged = TupleData(bytes: rows.bytes, fields: [rows.fields[0], .unchanged])
    try store.write { tx in
      check("encoding") { try guarded.update(nil, isFull: false, to: unchanged, in: &tx) }
    }
  }

  @Test func `an optional property without a column is a warning that names table and property`() throws {
    let warnings = try reader(Replicated("pages", Page.self)).warnings
    #expect(
      warnings == [
        "Table public.pages has no column note for the optional property note of Page, which is therefore nil."
      ])
    let renamed = try reader(Replicated("pages", Page.self, columns: ["note": "remark"])).warnings
    #expect(renamed.count == 1 && renamed[0].contains("column remark for the optional property note"))
    #expect(try reader(Replicated("pages", Page.self, columns: ["note": "title"])).warnings.isEmpty)
    #expect(try reader(Replicated("pages", Guarded.self)).warnings.isEmpty)
  }

  @Test func `a rule of a local entity against the server is refused at once, by name`() async throws {
    struct Comment: Entity {
      let id: Int
      let page: Ref<Page>
      static let schema = Schema<Comment> { \.page }
    }
    let error = await #expect(throws: StoreError.self) {
      try await PostgresReplica.start("postgresql://127.0.0.1:1/none", publication: "app") {
        Replicated("pages", Page.self)
        Local(Comment.self)
      }
    }
    #expect(
      error?.code == StoreError.invalidSchema && error?.entity == "Comment" && error?.property == "page")
    #expect(error?.message.contains("restricts the deletion of each Page") == true)
  }
}
