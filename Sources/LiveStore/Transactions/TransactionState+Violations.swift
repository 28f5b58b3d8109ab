// Rules of schemas that a transaction with incomplete data breaks, resolved by deleting and unlinking.
//
// A worklist has the rows whose links are to be checked: first the rows that the transaction wrote, or that
// link to objects it deleted, then the rows that link to objects deleted here. Each deletion adds the rows
// listed under the id. A row loses links when nothing is left to delete: all missing ids of a link at once,
// since an owner of many deleted objects is added by each of them. So time is linear in the rows and links
// concerned (R4), and the remaining rows pass the checks of a commit (R5, R6).

extension TransactionState {
  /// Deletes rows and removes links until no rule is broken.
  ///
  /// - Complexity: O(log *n*) for each row that was written, and for each link of it.
  func resolveViolations() -> [ResolvedViolation] {
    var work = ViolationWork()
    let deltas = deltas(isFinal: false)
    listPendingRows()
    for delta in deltas {
      let table = delta.table
      var rows = delta.touched
      var cursor = TreeCursor(
        tables[table].rows,
        at: tables[table].rows.partitionPoint(first: delta.inserted.lowerBound) { _ in false })
      while let entry = cursor.next() { rows.append(entry.key.first) }
      for row in rows {
        if tables[table].object(row) != nil {
          work.add(RowKey(table: table, row: row))
        } else if let before = base.tables[table].object(row) {
          addRows(linkingTo: before, of: table, &work)
        }
      }
      resolveDuplicates(of: rows, in: table, &work)
    }
    // In the order of tables and rows, in which a commit finds them.
    work.rows.reverse()
    while let (row, unlinks) = work.next() { resolveLinks(of: row, unlinks: unlinks, &work) }
    return work.resolved
  }

  /// Of rows with equal values of a unique property, keeps the one that was inserted first.
  private func resolveDuplicates(of rows: [UInt64], in table: Int, _ work: inout ViolationWork) {
    let info = catalog.entities[table]
    for (number, index) in info.indexes.enumerated() where index.isUnique {
      for row in rows {
        while let object = tables[table].object(row), !index.hasNil(object),
          let other = tables[table].duplicate(of: row, number, index)
        {
          let (kept, later) = (tables[table].existing(min(row, other)), max(row, other))
          let error = info.uniqueViolation(tables[table].existing(later), kept, index)
          delete(RowKey(table: table, row: later), error, &work)
        }
      }
    }
  }

  /// - Parameter unlinks: whether the row loses links now; if not, it is listed if it must lose some.
  private func resolveLinks(of key: RowKey, unlinks: Bool, _ work: inout ViolationWork) {
    let info = catalog.entities[key.table]
    for link in info.links {
      // The object is read again, since the link before may have changed it.
      guard let object = tables[key.table].object(key.row) else { return }
      if link.definition.isRequired, link.definition.isLeftEmpty(object) {
        return delete(key, info.requiredLinkEmpty(object, link), &work)
      }
      guard let target = link.definition.reader.missing(object, since: nil, idContext) else { continue }
      let error = info.missingLinkTarget(object, link, target)
      if link.rule != .nullify { return delete(key, error, &work) }
      guard unlinks else {
        work.addToUnlink(key)
        continue
      }
      work.resolved.append(ResolvedViolation(error: error, object: info.copy(object), isDeleted: false))
      let missing = link.definition.reader.missingIDs(object, idContext)
      info.withCopy(object) { copy in
        link.definition.unlink(copy, missing)
        replace(key.row, by: copy, in: key.table)
      }
    }
  }

  private func delete(_ key: RowKey, _ error: StoreError, _ work: inout ViolationWork) {
    let info = catalog.entities[key.table]
    let object = tables[key.table].existing(key.row)
    work.resolved.append(ResolvedViolation(error: error, object: info.copy(object), isDeleted: true))
    addRows(linkingTo: object, of: key.table, &work)
    touch(key.row, in: key.table)
    tables[key.table].remove(key.row, info)
  }

  /// Adds the rows that may link to an object.
  private func addRows(linkingTo object: UnsafeRawPointer, of table: Int, _ work: inout ViolationWork) {
    let hash = catalog.entities[table].ids.hash(object)
    for incoming in catalog.incoming[table] {
      let unlinks = catalog.entities[incoming.table].links[incoming.link].rule == .nullify
      listPendingRows(in: incoming.table)
      tables[incoming.table].forEachRow(incoming.link, listedUnder: hash) { row in
        work.add(RowKey(table: incoming.table, row: row), unlinks: unlinks)
        return true
      }
    }
  }
}

private struct ViolationWork {
  /// The rows whose links are to be checked; each once.
  var rows: [RowKey] = []
  var resolved: [ResolvedViolation] = []
  private var waiting: Set<RowKey> = []
  /// The rows that lose links when there are no others, in the order in which they were found.
  private var toUnlink: [RowKey] = []
  private var waitingToUnlink: Set<RowKey> = []
  /// How many of these have lost their links.
  private var unlinkedCount = 0

  /// - Parameter unlinks: whether the row can have become one that loses links, and none that is deleted.
  mutating func add(_ row: RowKey, unlinks: Bool = false) {
    if unlinks, waitingToUnlink.contains(row) { return }
    if waiting.insert(row).inserted { rows.append(row) }
  }

  mutating func addToUnlink(_ row: RowKey) {
    if waitingToUnlink.insert(row).inserted { toUnlink.append(row) }
  }

  /// The row to check next, and whether it loses its links.
  mutating func next() -> (row: RowKey, unlinks: Bool)? {
    if let row = rows.popLast() {
      waiting.remove(row)
      return (row, false)
    }
    guard unlinkedCount < toUnlink.count else { return nil }
    let row = toUnlink[unlinkedCount]
    unlinkedCount += 1
    waitingToUnlink.remove(row)
    return (row, true)
  }
}
