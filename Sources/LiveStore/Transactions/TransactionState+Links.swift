// What is judged of links at commit, so that the order of steps inside a transaction is free.

extension TransactionState {
  /// Judges the links of the rows that a delta names, and the links to those that it deletes.
  ///
  /// - Complexity: O(log *n*) for each new link of a changed row and each row deleted, plus the number of
  ///   links of rows whose links changed.
  func checkLinks(_ delta: TableDelta) throws(StoreError) {
    let info = catalog.entities[delta.table]
    let incoming = catalog.incoming[delta.table]
    if info.links.isEmpty && incoming.isEmpty { return }
    let (old, new) = (base.tables[delta.table], tables[delta.table])
    let context = context
    for row in delta.touched {
      let before = old.object(row)
      if let object = new.object(row) {
        try checkLinks(object, before, info, context)
      } else if let before, !incoming.isEmpty {
        try checkNoLinks(to: before, delta.table, info, incoming)
      }
    }
    if info.links.isEmpty { return }
    var cursor = TreeCursor(
      new.rows, at: new.rows.partitionPoint(first: delta.inserted.lowerBound) { _ in false })
    while let entry = cursor.next() { try checkLinks(entry.payload, nil, info, context) }
  }

  /// The links that an object has and an older one had not lead somewhere, and none is left empty.
  private func checkLinks(
    _ object: UnsafeRawPointer, _ old: UnsafeRawPointer?, _ info: EntityInfo, _ context: ReadContext
  ) throws(StoreError) {
    for link in info.links {
      if link.definition.isRequired && link.definition.isLeftEmpty(object) {
        let id = info.ids.text(object)
        throw StoreError(
          StoreError.requiredLinkEmpty,
          "\(info.name) \(id) links to no \(link.target) by \(link.name), which is required.",
          entity: info.name, id: id, property: link.name)
      }
      if let old, link.definition.isSame(old, object) { continue }
      // Links that were there before lead to what is there, or to what was deleted now.
      guard let target = link.definition.reader.missing(object, since: old, context) else { continue }
      let id = info.ids.text(object)
      throw StoreError(
        StoreError.missingLinkTarget,
        "\(info.name) \(id) links to \(link.target) \(target) by \(link.name), which is not there. Insert it in the same transaction, or leave the link out.",
        entity: info.name, id: id, property: link.name, value: target)
    }
  }

  /// Nothing links to an object that is gone, unless one of its id has come.
  private func checkNoLinks(
    to object: UnsafeRawPointer, _ table: Int, _ info: EntityInfo, _ incoming: [IncomingLink]
  ) throws(StoreError) {
    let hash = info.ids.hash(object)
    let isBack = tables[table].find(
      hash: hash, isMatch: { info.ids.isSame($0, object) },
      compare: info.ids.compare.map { compare in { compare(object, $0) } })
    if isBack != nil { return }
    for incoming in incoming {
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
      if link.rule == .restrict {
        throw StoreError(
          StoreError.deleteRestricted,
          "\(info.name) \(target) cannot be deleted while \(source.name) \(id) links to it by \(link.name). Delete that first, or take the link away.",
          entity: source.name, id: id, property: link.name, value: target)
      }
      throw StoreError(
        StoreError.missingLinkTarget,
        "\(source.name) \(id) links to \(info.name) \(target) by \(link.name), which was deleted. Take the link away, or insert it again.",
        entity: source.name, id: id, property: link.name, value: target)
    }
  }
}
