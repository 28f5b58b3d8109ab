import LiveStore

/// A type of a case, with its rows in a store: operations, observers and queries by name.
protocol CaseTable: Sendable {
  /// The type's name in the case.
  var name: String { get }
  /// The properties' types as the cases' schemas write them.
  var types: [String: String] { get }

  /// The table under another name with the properties of a type in a schema, each in a column of its type.
  ///
  /// - Parameter tables: the tables' own names by the types of the schema.
  func renamed(
    _ name: String, _ properties: JSONObject, _ tables: [String: String]
  ) throws(CaseFailure) -> any CaseTable

  func insert(_ values: JSONObject, in tx: borrowing WriteTransaction) throws
  func set(_ values: JSONObject, of id: Int, in tx: borrowing WriteTransaction) throws
  func delete(_ id: Int, in tx: borrowing WriteTransaction) throws
  func deleteAll(in tx: borrowing WriteTransaction) throws
  /// Edits a list of a row.
  func edit(_ property: String, of id: Int, in tx: borrowing WriteTransaction, _ edit: ListEdit) throws

  /// What an observer or a query describes.
  func open(_ description: JSONValue, _ tables: Tables) throws(CaseFailure) -> any OpenQuery
  /// A query written as text.
  func open(text: String, _ arguments: [any Sendable]) throws -> any OpenQuery
  func observeObject(
    _ description: JSONValue, in store: Store, _ tables: Tables, excluding origins: Set<String>
  ) throws -> Observation<ObjectEvent>
  /// The rows whose property links to a row, or to the one that a link leads to, and what a path reads of them.
  func find<Root: CaseEntity, Target: CaseEntity>(
    _ way: Way, linking property: String, to link: Expr<Ref<Target>?>?, from root: Root.Type
  ) throws(CaseFailure) -> Found<Root>
}

/// A table of a struct.
struct EntityTable<Element: CaseEntity>: CaseTable {
  let name: String
  let columns: [any Column<Element>]

  init(_ name: String, _ columns: [any Column<Element>]) {
    self.name = name
    self.columns = columns
  }

  /// A table under the struct's own name and properties.
  init(_: Element.Type) { self.init("\(Element.self)", Element.columns.all) }

  var types: [String: String] {
    Dictionary(columns.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
  }

  func column(_ name: String) throws(CaseFailure) -> any Column<Element> {
    guard let column = columns.first(where: { $0.name == name }) else {
      throw .malformed("\(self.name) has no property \(name)")
    }
    return column
  }
}

extension EntityTable {
  func insert(_ values: JSONObject, in tx: borrowing WriteTransaction) throws {
    guard values["id"]?.integer != nil else { throw CaseFailure.malformed("\(values) has no id") }
    var object = Element()
    for (key, value) in values { try column(key).set(value, in: &object) }
    try tx.insert(object)
  }

  func set(_ values: JSONObject, of id: Int, in tx: borrowing WriteTransaction) throws {
    try tx.update(Element.self, id) {
      for (key, value) in values where key != "id" { try column(key).set(value, in: &$0) }
    }
  }

  func delete(_ id: Int, in tx: borrowing WriteTransaction) throws {
    guard try tx.delete(Element.self, id) else {
      throw CaseFailure.malformed("there is no \(name) \(id) to delete")
    }
  }

  func deleteAll(in tx: borrowing WriteTransaction) throws { try tx.deleteAll(Element.self) }

  func edit(
    _ property: String, of id: Int, in tx: borrowing WriteTransaction, _ edit: ListEdit
  ) throws {
    let column = try column(property)
    try tx.update(Element.self, id) { try column.edit(edit, in: &$0) }
  }
}

// MARK: Paths

extension EntityTable {
  /// Where a path from a row leads.
  func find(_ way: Way) throws(CaseFailure) -> Found<Element> {
    var way = way
    let name = try way.next()
    if let column = columns.first(where: { $0.name == name }) { return try column.find(way) }
    return try find(&way, backlink: name, to: nil, from: Element.self)
  }

  /// Where a path from the row that a link leads to leads.
  func find<Root: CaseEntity>(
    _ way: Way, through link: Expr<Ref<Element>?>
  ) throws(CaseFailure) -> Found<Root> {
    var way = way
    let name = try way.next()
    if let column = columns.first(where: { $0.name == name }) { return try column.find(way, through: link) }
    return try find(&way, backlink: name, to: link, from: Root.self)
  }

  /// A path that continues over links to a row: `@links.Type.property`, or the name that a case gives to them.
  private func find<Root: CaseEntity>(
    _ way: inout Way, backlink name: String, to link: Expr<Ref<Element>?>?, from root: Root.Type
  ) throws(CaseFailure) -> Found<Root> {
    if name == "@links" {
      let source = try way.tables.table(way.next())
      let property = try way.next()
      return try source.find(way, linking: property, to: link, from: root)
    }
    guard let backlink = way.tables.backlink(name, of: self.name) else {
      throw .malformed("\(self.name) has no property \(name)")
    }
    return try way.tables.table(backlink.type).find(way, linking: backlink.property, to: link, from: root)
  }

  func find<Root: CaseEntity, Target: CaseEntity>(
    _ way: Way, linking property: String, to link: Expr<Ref<Target>?>?, from root: Root.Type
  ) throws(CaseFailure) -> Found<Root> {
    let rows = try column(property).linking(to: link)
    return .many(Many<Root, Element>(name: way.path, rows: rows, list: nil), way)
  }
}
