import LiveStore

/// A store with the tables of a case, on which its operations are performed by name.
struct World {
  let store: Store
  private let tables: Tables

  /// A store of the first family whose structs have all that the schema lists, with the rows in it.
  init(schema: JSONObject, rows: JSONObject, backlinks: [JSONValue] = []) async throws {
    let family = try CaseFamily.matching(schema)
    let (store, tables) = (try family.makeStore(), try Tables(family.tables, backlinks: backlinks))
    (self.store, self.tables) = (store, tables)
    try await store.write { tx in
      for (type, rows) in rows {
        guard let elements = rows.elements else {
          throw CaseFailure.malformed("the rows of \(type) are no array")
        }
        let table = try tables.table(type)
        for row in elements {
          guard let values = row.members else { throw CaseFailure.malformed("\(row.shortened) is not a row") }
          try table.insert(values, in: tx)
        }
      }
    }
  }

  /// What an observer or a query describes.
  func open(_ description: JSONValue) throws(CaseFailure) -> any OpenQuery {
    try tables.table(description.text("type")).open(description, tables)
  }

  /// A query written as text.
  func open(text: String, _ arguments: [any Sendable], _ type: String) throws -> any OpenQuery {
    try tables.table(type).open(text: text, arguments)
  }

  func observeObject(
    _ description: JSONValue, excluding origins: Set<String>
  ) throws -> Observation<ObjectEvent> {
    try tables.table(description.text("type")).observeObject(
      description, in: store, tables, excluding: origins)
  }

  /// Performs one operation of a transaction.
  func apply(_ operation: JSONValue, in tx: borrowing WriteTransaction) throws {
    let table = try tables.table(operation.text("type"))
    switch try operation.text("op") {
    case "create": try table.insert(operation.members("values"), in: tx)
    case "set": try table.set(operation.members("values"), of: operation.integer("id"), in: tx)
    case "delete": try table.delete(operation.integer("id"), in: tx)
    case "delete_all": try table.deleteAll(in: tx)
    default:
      try table.edit(
        operation.text("prop"), of: operation.integer("id"), in: tx, ListEdit(operation))
    }
  }
}
