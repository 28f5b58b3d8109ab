// What is judged of links at commit, so that the order of steps inside a transaction is free.

extension TransactionState {
  /// Judges the links of the rows that a delta names, and the links to those that it deletes.
  ///
  /// - Complexity: O(log *n*) for each new link of a changed row and each link to a deleted one, plus the
  ///   number of links of changed rows.
  func checkLinks(_ delta: TableDelta) throws(StoreError) {
    let info = catalog.entities[delta.table]
    let incoming = catalog.incoming[delta.table]
    if info.links.isEmpty && incoming.isEmpty { return }
    let (old, new) = (base.tables[delta.table], tables[delta.table])
    let context = context
    for row in delta.touched {
      if let object = new.object(row) {
        try checkLinks(object, old.object(row), info, context)
      } else if !incoming.isEmpty, let object = old.object(row) {
        try checkNoLinks(to: object, info, incoming, context)
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
      let hashes = link.hashes(object)
      if link.definition.isRequired, hashes.isEmpty || hashes == [noReferenceHash] {
        try checkRequired(object, link, info)
      }
      // Links that were there before lead to what is there, or to what was deleted now.
      let added = old.map { Set(hashes).subtracting(link.hashes($0)) }
      if added?.isEmpty ?? hashes.isEmpty { continue }
      guard let target = link.definition.missing(object, added, context) else { continue }
      let id = info.ids.text(object)
      throw StoreError(
        StoreError.missingLinkTarget,
        "\(info.name) \(id) links to \(link.target) \(target) by \(link.name), which is not there. Insert it in the same transaction, or leave the link out.",
        entity: info.name, id: id, property: link.name, value: target)
    }
  }

  private func checkRequired(
    _ object: UnsafeRawPointer, _ link: LinkInfo, _ info: EntityInfo
  ) throws(StoreError) {
    var isEmpty = true
    link.definition.forEachHash(object) { _ in isEmpty = false }
    guard isEmpty else { return }
    let id = info.ids.text(object)
    throw StoreError(
      StoreError.requiredLinkEmpty,
      "\(info.name) \(id) links to no \(link.target) by \(link.name), which is required.",
      entity: info.name, id: id, property: link.name)
  }

  /// Nothing links to an object that is gone.
  private func checkNoLinks(
    to object: UnsafeRawPointer, _ info: EntityInfo, _ incoming: [IncomingLink], _ context: ReadContext
  ) throws(StoreError) {
    let hash = info.ids.hash(object)
    for incoming in incoming {
      let source = catalog.entities[incoming.table]
      let link = source.links[incoming.link]
      let table = tables[incoming.table]
      var owner: UInt64?
      table.forEachRow(incoming.link, link, linkingTo: object, hash: hash) { owner = owner ?? $0 }
      guard let owner else { continue }
      let (id, target) = (source.ids.text(table.existing(owner)), info.ids.text(object))
      // It may have come back under the same id.
      guard link.definition.missing(table.existing(owner), [hash], context) == target else { continue }
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
