// The edits of a transaction, for tables whose entity is known to be that of the objects given.

extension TransactionState {
  /// The table of an object, after a look at the schema when its table is still empty.
  func table<Element: Entity>(for object: Element) throws(StoreError) -> Int {
    let table = try catalog.require(Element.self)
    if tables[table].nextRow == 1 {
      let check = catalog.entities[table].check
      try withUnsafePointer(to: object) { (pointer) throws(StoreError) in try check(UnsafeRawPointer(pointer))
      }
    }
    return table
  }

  func row<Element: Entity>(of id: Element.ID, in table: Int, _: Element.Type) -> UInt64? {
    tables[table].find(
      hash: idHash(id),
      // Rows of this table hold Elements.
      isMatch: { $0.assumingMemoryBound(to: Element.self).pointee.id == id },
      compare: idComparison(id, Element.self)
    )?.row
  }

  /// The rows of a query, listed before any of them is edited.
  func rows<Element: Entity>(of query: Query<Element>) -> [UInt64] {
    let window = context.evaluate(query)
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    let rows = window.ranks.compactMap { _ in cursor.next().map { window.rowNumber($0.key) } }
    guard window.tree.layout.areOccurrences else { return rows }
    // An object that stands in a list twice is edited once.
    var seen: Set<UInt64> = []
    return rows.filter { seen.insert($0).inserted }
  }

  func insert<Element: Entity>(_ object: Element, in table: Int) throws(StoreError) {
    let info = catalog.entities[table]
    if row(of: object.id, in: table, Element.self) != nil {
      throw StoreError(
        StoreError.duplicateID,
        "There is already a \(info.name) with id \(shown(object.id)). Upsert it, or give it another id.",
        entity: info.name, id: shown(object.id))
    }
    tables[table].insert(object, info, stamp: version.number)
  }

  func replace<Element: Entity>(_ row: UInt64, by object: Element, in table: Int) {
    var object = object
    withUnsafeMutablePointer(to: &object) { replace(row, by: UnsafeMutableRawPointer($0), in: table) }
  }

  /// Replaces the object in a row by a copy of another, whose lists are aligned with those that were there.
  private func replace(_ row: UInt64, by object: UnsafeMutableRawPointer, in table: Int) {
    let info = catalog.entities[table]
    let old = tables[table].existing(row)
    for link in info.links { link.definition.align?(object, old) }
    let isSame = info.isSame(old, UnsafeRawPointer(object))
    if info.hasIgnored { hasIgnoredEdits = true }
    if isSame {
      if info.hasIgnored { tables[table].replace(row, by: object, info, stamp: nil) }
      return
    }
    touch(row, in: table)
    tables[table].replace(row, by: object, info, stamp: version.number)
  }

  func update<Element: Entity, Result>(
    _ row: UInt64, in table: Int, _ edit: (inout Element) throws -> Result
  ) throws -> Result {
    // The row is one of this entity's table.
    var object = tables[table].existing(row).assumingMemoryBound(to: Element.self).pointee
    let id = object.id
    let result = try edit(&object)
    let name = catalog.entities[table].name
    guard tables[table].object(row) != nil else {
      throw StoreError(
        StoreError.notFound,
        "An update of \(name) \(shown(id)) deleted it. Delete it after the update, or instead of it.",
        entity: name, id: shown(id))
    }
    guard object.id == id else {
      throw StoreError(
        StoreError.identifierChanged,
        "An update of \(name) \(shown(id)) changed its id to \(shown(object.id)). Delete it and insert another.",
        entity: name, id: shown(id))
    }
    replace(row, by: object, in: table)
    return result
  }

  /// Deletes a row with all that its deletion entails: rows that cascade from it go too, others lose their
  /// links to it. A row that is gone already is left alone.
  ///
  /// - Complexity: O(log *n*) for each row and link concerned, however long the chain.
  func remove(_ row: UInt64, in table: Int) {
    if catalog.incoming[table].isEmpty {
      guard tables[table].object(row) != nil else { return }
      touch(row, in: table)
      tables[table].remove(row, catalog.entities[table])
      return
    }
    var pending = [(table: table, row: row)]
    while let (table, row) = pending.popLast() {
      guard let object = tables[table].object(row) else { continue }
      let info = catalog.entities[table]
      touch(row, in: table)
      info.withCopy(object) { copy in
        tables[table].remove(row, info)
        pending += unlinkAll(from: copy, hash: info.ids.hash(copy), in: table)
      }
    }
  }

  /// Does what rules say to all that links to a deleted object; returns the rows that go with it.
  private func unlinkAll(
    from target: UnsafeRawPointer, hash: UInt64, in table: Int
  ) -> [(table: Int, row: UInt64)] {
    var cascading: [(table: Int, row: UInt64)] = []
    for incoming in catalog.incoming[table] {
      let link = catalog.entities[incoming.table].links[incoming.link]
      if link.rule == .restrict { continue }
      var owners: [UInt64] = []
      tables[incoming.table].forEachRow(incoming.link, link, linkingTo: target, hash: hash) {
        owners.append($0)
      }
      if link.rule == .cascade {
        cascading += owners.reversed().map { (incoming.table, $0) }
      } else {
        for owner in owners { unlink(owner, in: incoming.table, link, from: target) }
      }
    }
    return cascading
  }

  /// Takes the links to a target out of a row.
  private func unlink(_ row: UInt64, in table: Int, _ link: LinkInfo, from target: UnsafeRawPointer) {
    catalog.entities[table].withCopy(tables[table].existing(row)) { copy in
      link.definition.unlink(copy, target)
      replace(row, by: copy, in: table)
    }
  }

  func removeAll(in table: Int) {
    let rows = tables[table].rows
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() { touch(entry.key.first, in: table) }
    tables[table].removeAll()
  }
}
