extension LiveEngine.State {
  /// Hands changed rows to the queries that start from a list in which they stand, or whose owner changed.
  ///
  /// - Complexity: O(*k*) lookups for *k* changed owners, and for each changed row of the lists' entity as many as
  ///   there are owners that have it, or live lists, if those are fewer.
  mutating func collectListed(_ changes: StoreChanges) {
    for (link, owners) in listed {
      guard
        let target = changes.new.catalog.index(
          of: changes.new.catalog.entities[link.table].links[link.link].target)
      else { continue }
      var concerned: Set<UInt64> = []
      let ids = changes.new.catalog.entities[link.table].ids
      for row in changes.rows(in: link.table) {
        guard let object = row.new ?? row.old else { continue }
        concerned.formUnion(owners[ids.hash(object)] ?? [])
      }
      var rows = changes.rows(in: target)
      let chains = Set(owners.values.joined().compactMap { byID[$0] }.flatMap(\.chains))
      if !chains.isEmpty { rows += changes.linkedRows(of: target, chains) }
      for row in rows { concerned.formUnion(lists(holding: row, link, owners, target, changes)) }
      for id in concerned {
        byID[id]?.rows = rows
        touched.insert(id)
      }
    }
  }

  /// The queries whose list may hold a row.
  private func lists(
    holding row: RowChange, _ link: IncomingLink, _ owners: [UInt64: Set<UInt64>], _ target: Int,
    _ changes: StoreChanges
  ) -> Set<UInt64> {
    let info = changes.new.catalog.entities[link.table].links[link.link]
    let (ids, ownerIDs) = (
      changes.new.catalog.entities[target].ids, changes.new.catalog.entities[link.table].ids
    )
    // An entry that came or went is told of by its owner's change; so the new state will do, but for a row
    // whose id was taken over by another.
    guard let object = row.new ?? row.old else { return [] }
    let table = changes.new.tables[link.table]
    let hash = ids.hash(object)
    var found: Set<UInt64> = []
    if table.linkRange(link.link, hash: hash).count > owners.count {
      for queries in owners.values { found.formUnion(queries) }
      return found
    }
    table.forEachRow(link.link, info, linkingTo: object, hash: hash) { owner in
      found.formUnion(owners[ownerIDs.hash(table.existing(owner))] ?? [])
      return true
    }
    return found
  }
}
