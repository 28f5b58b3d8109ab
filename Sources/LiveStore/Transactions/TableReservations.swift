/// Which tables one writer has for itself, and whether a transaction is that writer's.
struct TableReservations {
  /// The tables that only their reservation's holder writes.
  var tables: Set<Int> = []
  /// Those of them that the transaction may write.
  var held: Set<Int> = []

  /// Whether the transaction may not write to a table.
  func isClosed(_ table: Int) -> Bool {
    !tables.isEmpty && tables.contains(table) && !held.contains(table)
  }

  /// Whether the rules of a table's schema hold: not where what writes it decides itself (Y3).
  func hasRules(_ table: Int) -> Bool { tables.isEmpty || !tables.contains(table) }
}

extension TransactionState {
  /// The table of an entity, to be written.
  ///
  /// - Throws: `unknownEntity`; `readOnly`.
  func writableTable(of type: any Entity.Type) throws(StoreError) -> Int {
    let table = try catalog.require(type)
    try requireWritable(table)
    return table
  }

  /// - Throws: `readOnly` if another writer has the table for itself.
  func requireWritable(_ table: Int) throws(StoreError) {
    if reservations.isClosed(table) { throw .readOnly(catalog.entities[table].name) }
  }
}

extension StoreError {
  static func readOnly(_ entity: String) -> StoreError {
    StoreError(
      readOnly,
      "\(entity) is read-only here: its objects follow another source, which reserved it. Write to that source.",
      entity: entity)
  }
}
