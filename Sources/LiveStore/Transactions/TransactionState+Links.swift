// The checks of links at commit, which leave the order of steps inside a transaction free.

extension TransactionState {
  /// Checks the links of the rows that a delta names, and the links to the rows that it deletes (R5).
  ///
  /// - Complexity: O(log *n*) for each new link of a changed row and each row deleted, plus the number of
  ///   links of rows whose links changed.
  func checkLinks(_ delta: TableDelta) throws(StoreError) {
    let info = catalog.entities[delta.table]
    let incoming = catalog.incoming[delta.table]
    if info.links.isEmpty && incoming.isEmpty { return }
    let (old, new) = (base.tables[delta.table], tables[delta.table])
    let context = context
    let hasRules = reservations.hasRules(delta.table)
    for row in delta.touched {
      let before = old.object(row)
      if let object = new.object(row) {
        if hasRules { try checkLinks(object, before, info, context) }
      } else if let before, !incoming.isEmpty {
        try checkNoLinks(to: before, delta.table, info, incoming)
      }
    }
    if info.links.isEmpty || !hasRules { return }
    var cursor = TreeCursor(
      new.rows, at: new.rows.partitionPoint(first: delta.inserted.lowerBound) { _ in false })
    while let entry = cursor.next() { try checkLinks(entry.payload, nil, info, context) }
  }

  /// Checks that an object's new links lead to existing objects, and that no required link is missing (R6).
  private func checkLinks(
    _ object: UnsafeRawPointer, _ old: UnsafeRawPointer?, _ info: EntityInfo, _ context: ReadContext
  ) throws(StoreError) {
    for link in info.links {
      if link.definition.isRequired && link.definition.isLeftEmpty(object) {
        throw info.requiredLinkEmpty(object, link)
      }
      if let old, link.definition.isSame(old, object) { continue }
      // Older links lead to objects that exist or that this transaction deleted.
      guard let target = link.definition.reader.missing(object, since: old, context) else { continue }
      throw info.missingLinkTarget(object, link, target)
    }
  }

  /// Checks that nothing links to a deleted object, unless another object was inserted with its id.
  private func checkNoLinks(
    to object: UnsafeRawPointer, _ table: Int, _ info: EntityInfo, _ incoming: [IncomingLink]
  ) throws(StoreError) {
    let hash = info.ids.hash(object)
    if tables[table].find(object, info) != nil { return }
    for incoming in incoming where reservations.hasRules(incoming.table) {
      let source = catalog.entities[incoming.table]
      let link = source.links[incoming.link]
      let owners = tables[incoming.table]
      var found: UnsafeRawPointer?
      owners.forEachRow(incoming.link, listedUnder: hash) { row in
        let owner = owners.existing(row)
        if link.isLinked(owner, to: object) { found = owner }
        return found == nil
      }
      guard let owner = found else { continue }
      let (id, target) = (source.ids.text(owner), info.ids.text(object))
      let (shownID, shownTarget) = (MessageText.line(id), MessageText.line(target))
      if link.rule == .restrict {
        throw StoreError(
          StoreError.deleteRestricted,
          "\(info.name) \(shownTarget) cannot be deleted while the link \(link.name) of \(source.name) \(shownID) leads to it. Delete \(source.name) \(shownID) first, or remove the link.",
          entity: source.name, id: id, property: link.name, value: target)
      }
      throw StoreError(
        StoreError.missingLinkTarget,
        "The link \(link.name) of \(source.name) \(shownID) leads to \(info.name) \(shownTarget), which was deleted. Remove the link, or insert the object again.",
        entity: source.name, id: id, property: link.name, value: target)
    }
  }
}
