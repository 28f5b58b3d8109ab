/// Which tables one writer has for itself, and whether a transaction is that writer's.
struct TableReservations {
  /// The tables that only their reservation's holder writes.
  var tables: Set<Int> = []
  /// The reserved tables that the transaction may write.
  var held: Set<Int> = []

  /// Whether the transaction may not write to a table.
  func isClosed(_ table: Int) -> Bool {
    !tables.isEmpty && tables.contains(table) && !held.contains(table)
  }

  /// Whether the rules of a table's schema hold: not if its writer's source decides what is valid (Y3).
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

extension Catalog {
  /// Checks that no rule of an entity that is not reserved could refuse or add to what the holders of reservations
  /// write (Y3).
  ///
  /// - Throws: `invalidSchema`.
  func checkRules(besideReserved reserved: Set<Int>) throws(StoreError) {
    let others = entities.indices.filter { !reserved.contains($0) }
    var links: [(table: Int, link: LinkInfo, target: Int)] = []
    for table in others {
      for link in entities[table].links {
        if let target = index(of: link.target) { links.append((table, link, target)) }
      }
    }
    // The tables in which a holder's deletions can delete: rules lead from there to other entities.
    var deleted = reserved
    var count = 0
    while deleted.count > count {
      count = deleted.count
      for (table, link, target) in links {
        if link.rule == .cascade, deleted.contains(target) { deleted.insert(table) }
        if link.isOwned, deleted.contains(table) { deleted.insert(target) }
      }
    }
    for (table, link, target) in links {
      let (source, name) = (entities[table].name, entities[target].name)
      if link.isOwned, reserved.contains(target) {
        throw StoreError(
          StoreError.invalidSchema,
          "\(source).\(link.name) owns each \(name) that it links to, but only another source may delete them. Leave out .owned.",
          entity: source, property: link.name)
      }
      if link.rule == .restrict, deleted.contains(target) {
        throw StoreError(
          StoreError.invalidSchema,
          "\(source).\(link.name) restricts the deletion of each \(name) that it links to, but another source decides on that. Choose onDelete: .nullify for a link that may be empty, or .cascade.",
          entity: source, property: link.name)
      }
    }
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
