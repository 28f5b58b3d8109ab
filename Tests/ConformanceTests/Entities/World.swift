import LiveStore

/// A store with the tables of a case, on which its operations are performed by name.
struct World {
  let store: Store
  private let tables: [String: any CaseTable]

  /// A store of the first family whose structs have all that the schema lists, with the rows in it.
  init(schema: JSONObject, rows: JSONObject) async throws {
    let family = try CaseFamily.matching(schema)
    store = try family.makeStore()
    tables = Dictionary(family.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let world = self
    try await store.write { tx in
      for (type, rows) in rows {
        guard let elements = rows.elements else {
          throw CaseFailure.malformed("the rows of \(type) are no array")
        }
        let table = try world.table(type)
        for row in elements {
          guard let values = row.members else { throw CaseFailure.malformed("\(row.shortened) is not a row") }
          try table.insert(values, in: tx)
        }
      }
    }
  }

  func table(_ name: String) throws(CaseFailure) -> any CaseTable {
    guard let table = tables[name] else { throw .malformed("there is no type \(name)") }
    return table
  }

  /// Performs one operation of a transaction.
  func apply(_ operation: JSONValue, in tx: borrowing WriteTransaction) throws {
    let table = try table(operation.text("type"))
    switch try operation.text("op") {
    case "create": try table.insert(operation.members("values"), in: tx)
    case "set": try table.set(operation.members("values"), of: operation.integer("id"), in: tx)
    case "delete":
      let id = try operation.integer("id")
      try table.delete(id, in: tx)
      try unlink([id], of: table.name, in: tx)
    case "delete_all": try unlink(table.deleteAll(in: tx), of: table.name, in: tx)
    default:
      let edit = try ListEdit(operation)
      try table.edit(operation.text("prop"), of: operation.integer("id"), in: tx) { try edit.apply(to: &$0) }
    }
  }

  private func unlink(_ ids: Set<Int>, of target: String, in tx: borrowing WriteTransaction) throws {
    for table in tables.values { try table.unlink(ids, of: target, in: tx) }
  }
}
