import LiveStore

/// Reads the rows of a table, and applies its changes. Used by one task.
protocol RowReader: AnyObject {
  var entity: any Entity.Type { get }

  /// Adds the rows of a copy to those that were copied.
  func stage(_ batch: TupleBatch) throws
  /// How many rows were copied.
  var stagedCount: Int { get }
  /// Makes the copied rows all that the table has.
  ///
  /// - Complexity: O(*n* log *n*) for *n* rows.
  func replaceAll(in tx: inout WriteTransaction) throws
  /// Forgets the copied rows.
  func clearStaged()

  func insert(_ row: TupleData, in tx: inout WriteTransaction) throws
  /// - Parameter old: the replica identity before the update, if that changed, or all columns.
  func update(_ old: TupleData?, to new: TupleData, in tx: inout WriteTransaction) throws
  func delete(_ old: TupleData, in tx: inout WriteTransaction) throws
  func truncate(in tx: inout WriteTransaction) throws
}

final class TypedRowReader<Element: Entity>: RowReader {
  private let name: TableName
  private let rows: RowFunctions<Element>
  private var staged: [Element] = []

  init(name: TableName, rows: RowFunctions<Element>) { (self.name, self.rows) = (name, rows) }

  var entity: any Entity.Type { Element.self }

  // MARK: Copies

  func stage(_ batch: TupleBatch) throws { staged += try rows.objects(batch) }

  var stagedCount: Int { staged.count }

  func replaceAll(in tx: inout WriteTransaction) throws {
    if tx.count(Element.all) == 0 { return try insertAll(in: &tx) }
    var ids = Set<Element.ID>(minimumCapacity: staged.count)
    for object in staged { ids.insert(object.id) }
    for object in tx.fetch(Element.all) where !ids.contains(object.id) {
      try tx.delete(Element.self, object.id)
    }
    try tx.upsert(contentsOf: staged)
  }

  private func insertAll(in tx: inout WriteTransaction) throws {
    do {
      try tx.insert(contentsOf: staged)
    } catch {
      guard error.code == StoreError.duplicateID else { throw error }
      let id = error.id ?? ""
      throw PostgresError(
        PostgresError.invalidTable,
        "Two rows of table \(name) have the id \(id) of \(Element.self). The column that is the id must be unique.",
        table: "\(name)", value: id)
    }
  }

  func clearStaged() { staged = [] }

  // MARK: Changes

  func insert(_ row: TupleData, in tx: inout WriteTransaction) throws {
    try tx.upsert(try rows.object(row) { nil })
  }

  func update(_ old: TupleData?, to new: TupleData, in tx: inout WriteTransaction) throws {
    let id = try rows.id(old ?? new)
    let object = try rows.object(new) { tx[Element.self, id] }
    if object.id != id { try tx.delete(Element.self, id) }
    try tx.upsert(object)
  }

  func delete(_ old: TupleData, in tx: inout WriteTransaction) throws {
    try tx.delete(Element.self, try rows.id(old))
  }

  func truncate(in tx: inout WriteTransaction) throws { try tx.deleteAll(Element.self) }
}
