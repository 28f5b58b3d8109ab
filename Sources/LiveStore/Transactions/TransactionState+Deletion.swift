// Deletion with all that it entails.
//
// A worklist of rows to delete, never recursion, so a chain may be as long as it likes. A row that a deleted one owns
// joins the worklist, and so does one that links to a deleted one by cascade; one that does so by nullify is noted, with
// the ids it loses, and edited once at the end, however many of its links are taken out, and not at all when it was
// deleted itself. What restricts is judged at commit. Which rows go is the closure of the first ones under both kinds
// of link, whatever their order. Every row is deleted at most once, and every link to it and owned by it looked at
// once: time is linear in what is deleted and edited.

extension TransactionState {
  /// Deletes rows: those that they own and those that cascade from them go too, others lose their links to them. A
  /// row that was deleted already is left alone.
  ///
  /// - Complexity: O(log *n*) for each row and link concerned, plus the size of lists that lose entries.
  func remove(_ rows: [UInt64], in table: Int) {
    var pending = rows.reversed().map { (table: table, row: $0) }
    var losses = Losses()
    while let (table, row) = pending.popLast() {
      guard let object = tables[table].object(row) else { continue }
      touch(row, in: table)
      for incoming in catalog.incoming[table] {
        let link = catalog.entities[incoming.table].links[incoming.link]
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
      pending += owned(by: object, catalog.entities[table])
      tables[table].remove(row, catalog.entities[table])
    }
    for (incoming, owners) in losses.owners {
      guard let target = losses.targets[incoming], let ids = losses.ids[target] else { continue }
      for owner in owners { unlink(owner, incoming, from: ids) }
    }
  }

  /// The rows that an object owns, the last one first, as the worklist is emptied from its end.
  private func owned(by object: UnsafeRawPointer, _ info: EntityInfo) -> [(table: Int, row: UInt64)] {
    var owned: [(table: Int, row: UInt64)] = []
    for link in info.links where link.isOwned {
      guard let target = catalog.index(of: link.target) else { continue }
      owned += link.definition.reader.rows(object, in: target, context).map { (target, $0) }
    }
    return owned.reversed()
  }

  /// Who loses links by a deletion.
  private struct Losses {
    /// The deleted, by table.
    var ids: [Int: any DeletedIDs] = [:]
    /// The rows that may link to one of them, by relation.
    var owners: [IncomingLink: Set<UInt64>] = [:]
    /// The table that a relation leads to.
    var targets: [IncomingLink: Int] = [:]
  }

  /// Takes the links to deleted objects out of a row, if it is still there.
  private func unlink(_ row: UInt64, _ link: IncomingLink, from deleted: any DeletedIDs) {
    guard let object = tables[link.table].object(row) else { return }
    let info = catalog.entities[link.table]
    info.withCopy(object) { copy in
      info.links[link.link].definition.unlink(copy, deleted)
      replace(row, by: copy, in: link.table)
    }
  }
}
