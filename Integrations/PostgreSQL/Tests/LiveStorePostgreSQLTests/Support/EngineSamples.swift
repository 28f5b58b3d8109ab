import LiveStore

import LiveStorePostgreSQL

// The engine of a replica without a server: tests are the stream that feeds it.

/// Replicated.
struct Page: Entity, Codable {
  let id: Int
  var title: String
  var note: String?
  static let schema = Schema<Page> {
    \.title
    \.note
  }

  init(_ id: Int, _ title: String) { (self.id, self.title) = (id, title) }

  static let layout = RowLayout(table: "public.pages", names: ["id", "title"], types: [.int8, .text])

  /// Some rows of the table, as a copy has them.
  static func rows(_ pages: (id: Int, title: String)...) -> TupleBatch { rows(pages) }

  static func rows(_ pages: [(id: Int, title: String)]) -> TupleBatch {
    var bytes: [UInt8] = []
    var fields: [TupleData.Field] = []
    for value in pages.flatMap({ ["\($0.id)", $0.title] }) {
      fields.append(TupleData.Field(.text, bytes.count..<bytes.count + value.utf8.count))
      bytes += Array(value.utf8)
    }
    return TupleBatch(bytes: bytes, fields: fields, columnCount: 2, count: pages.count)
  }

  static func reader() throws -> any RowReader { try table().makeReader(layout) }

  static func table() throws -> any ReplicatedTable {
    guard let table = try Replicated("pages", Page.self).replicated.table() else { throw Missing() }
    return table
  }

  private struct Missing: Error {}
}

/// Not replicated; loses its link to a page that is deleted.
struct Remark: Entity {
  let id: Int
  var page: Ref<Page>?
  var text = ""
  static let schema = Schema<Remark> {
    \.text
    Relation(\.page, onDelete: .nullify)
  }
}

/// Not replicated; never lets a link go, so that the store refuses the deletion of a page.
struct Pin: Entity {
  let id: Int
  var page: Ref<Page>? { didSet { page = oldValue } }
  static let schema = Schema<Pin> { Relation(\.page, "page", onDelete: .nullify) }

  init(_ id: Int, _ page: Ref<Page>) { (self.id, self.page) = (id, page) }
}

extension ReplicaEngine {
  /// The engine of a replica of pages, some of which it has.
  static func sample(
    pages: Int = 2, options: PostgresReplica.Options = .init()
  ) async throws -> ReplicaEngine {
    let source = ReplicaSource(
      connectionString: "", publication: "app", slot: .temporary, tables: [try Page.table()],
      locals: [Remark.self, Pin.self], options: options)
    let engine = try ReplicaEngine(
      source, try Store(Page.self, Remark.self, Pin.self, configuration: options.store))
    try await engine.follow { tx in for id in 1...max(1, pages) { try tx.insert(Page(id, "page \(id)")) } }
    return engine
  }

  /// Applies a transaction of the server.
  @discardableResult
  func follow(
    _ xid: UInt64 = 0, _ body: (inout WriteTransaction) throws -> Void
  ) async throws -> Version? {
    try await apply(isDecided: { $0 == xid }, body)
  }
}

extension RowReader {
  /// Inserts one row.
  func insert(_ row: TupleData, in tx: inout WriteTransaction) throws {
    try insert(RowRun(0, row).rows, in: &tx)
  }
}
