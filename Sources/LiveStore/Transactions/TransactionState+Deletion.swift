// Deletion and its consequences.
//
// A worklist of rows to delete replaces recursion, so chains may have any length. A row joins the worklist when a
// deleted row owns it, or when it links to a deleted row by cascade. A row that links by nullify is recorded with the
// ids it loses, and edited once at the end, unless it was deleted itself. Restrict is checked at commit. The deleted
// rows are the closure of the first ones under both kinds of link, in whatever order they are visited. Every row is
// deleted at most once, and each of its links is visited once, so time is linear in what is deleted and
// edited (R4).

extension TransactionState {
  /// Deletes rows. Rows that they own and rows that cascade from them are deleted, others lose their links to them.
  /// Rows that are already deleted are skipped.
  ///
  /// - Complexity: O(log *n*) for each row and link concerned, plus the size of lists that lose entries.
  func remove(_ rows: [UInt64], in table: Int) {
    var pending = rows.reversed().map { (table: table, row: $0) }
    var losses = Losses()
    while let (table, row) = pending.popLast() {
      guard let object = tables[table].object(row) else { continue }
      touch(row, in: table)
      for incoming in catalog.incoming[table] where reservations.hasRules(incoming.table) {
        let link = catalog.entities[incoming.table].links[incoming.link]
        listPendingRows(in: incoming.table)
        let owners = tables[incoming.table]
        switch link.rule {
        case .restrict: break
        case .cascade:
          owners.forEachRow(incoming.link, listedUnder: catalog.entities[table].ids.hash(object)) { owner in
            if link.isLinked(owners.existing(owner), to: object) { pending.append((incoming.table, owner)) }
            return true
          }
        case .nullify:
          var isLinked = false
          owners.forEachRow(incoming.link, listedUnder: catalog.entities[table].ids.hash(object)) { owner in
            losses.owners[incoming, default: []].insert(owner)
            isLinked = true
            return true
          }
          if isLinked {
            losses.ids[table, default: catalog.entities[table].makeDeletedIDs()].insert(object)
            losses.targets[incoming] = table
          }
        }
      }
      if reservations.hasRules(table) { pending += owned(by: object, catalog.entities[table]) }
      tables[table].remove(row, catalog.entities[table])
    }
    for (incoming, owners) in losses.owners {
      guard let target = losses.targets[incoming], let ids = losses.ids[target] else { continue }
      for owner in owners { unlink(owner, incoming, from: ids) }
    }
  }

  /// The rows that an object owns, in reverse order, since the worklist is emptied from its end.
  private func owned(by object: UnsafeRawPointer, _ info: EntityInfo) -> [(table: Int, row: UInt64)] {
    var owned: [(table: Int, row: UInt64)] = []
    for link in info.links where link.isOwned {
      guard let target = catalog.index(of: link.target) else { continue }
      owned += link.definition.reader.rows(object, in: target, idContext).map { (target, $0) }
    }
    return owned.reversed()
  }

  /// The rows that lose links by a deletion.
  private struct Losses {
    /// The deleted ids, by table.
    var ids: [Int: any DeletedIDs] = [:]
    /// The rows that may link to one of them, by relation.
    var owners: [IncomingLink: Set<UInt64>] = [:]
    /// The table of a relation's targets.
    var targets: [IncomingLink: Int] = [:]
  }

  /// Removes the links to deleted objects from a row, if the row still exists.
  private func unlink(_ row: UInt64, _ link: IncomingLink, from deleted: any DeletedIDs) {
    guard let object = tables[link.table].object(row) else { return }
    let info = catalog.entities[link.table]
    info.withCopy(object) { copy in
      info.links[link.link].definition.unlink(copy, deleted)
      replace(row, by: copy, in: link.table)
    }
  }
}
