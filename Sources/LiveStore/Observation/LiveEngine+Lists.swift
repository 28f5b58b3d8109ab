extension LiveEngine.State {
  /// Hands changed rows to the queries that start from a list in which they stand, and touches those whose
  /// owner changed.
  ///
  /// - Parameter linked: rows that are as they were, but of which linked values may not be, by table.
  /// - Complexity: O(*k*) lookups for *k* changed owners, and for each changed row of the lists' entity as many as
  ///   there are owners that have it, or live lists, if those are fewer.
  mutating func collectListed(_ changes: StoreChanges, linked: [Int: [RowChange]]) {
    let catalog = changes.new.catalog
    for (link, owners) in listed {
      guard let target = catalog.index(of: catalog.entities[link.table].links[link.link].target) else {
        continue
      }
      let ids = catalog.entities[link.table].ids
      for row in changes.rows(in: link.table) {
        guard let object = row.new ?? row.old, let queries = owners[ids.hash(object)] else { continue }
        touched.formUnion(queries)
      }
      for row in changes.rows(in: target) + (linked[target] ?? []) {
        for id in lists(holding: row, link, owners, target, changes) {
          guard let query = byID[id], !row.isLinked || query.isLinked else { continue }
          query.rows.append(row)
          touched.insert(id)
        }
      }
    }
  }

  /// The queries whose list may hold a row.
  private func lists(
    holding row: RowChange, _ link: IncomingLink, _ owners: [UInt64: Set<UInt64>], _ target: Int,
    _ changes: StoreChanges
  ) -> Set<UInt64> {
    let (ids, ownerIDs) = (
      changes.new.catalog.entities[target].ids, changes.new.catalog.entities[link.table].ids
    )
    // An entry that came or went is told of by its owner's change; so the new state will do, but for a row
    // whose id was taken over by another.
    guard let object = row.new ?? row.old else { return [] }
    let table = changes.new.tables[link.table]
    let hash = ids.hash(object)
    var found: Set<UInt64> = []
    if table.range(link.link, listedUnder: hash).count > owners.count {
      for queries in owners.values { found.formUnion(queries) }
      return found
    }
    // Lists of others with the same hash do no harm, and the list itself may be long.
    table.forEachRow(link.link, listedUnder: hash) { owner in
      found.formUnion(owners[ownerIDs.hash(table.existing(owner))] ?? [])
      return true
    }
    return found
  }
}
