extension TransactionState {
  /// Makes the checks of a commit, and the next state.
  ///
  /// - Returns: the commit; one of the same version, with the new objects, if only ignored properties differ; nil if
  ///   nothing does.
  /// - Throws: `uniqueViolation`, `missingLinkTarget`, `deleteRestricted`, `requiredLinkEmpty`; `readOnly` where a rule or
  ///   undo wrote to a table that is reserved.
  /// - Complexity: O(*k* log *n*) for *k* rows changed.
  func finish(
    origin: String?, writer: ObjectIdentifier? = nil, pins: VersionPins
  ) throws(StoreError) -> CommitRecord? {
    let deltas = deltas(isFinal: true)
    listPendingRows()
    if deltas.isEmpty {
      if !hasIgnoredEdits { return nil }
      let after = StoreState(version: base.version, context: ignoringStamps(), pins: pins)
      return CommitRecord(from: base, to: after, deltas: [])
    }
    for delta in deltas { try requireWritable(delta.table) }
    for delta in deltas where reservations.hasRules(delta.table) { try checkUnique(delta) }
    for delta in deltas { try checkLinks(delta) }
    let context = ReadContext(catalog: catalog, tables: tables, version: version.number)
    let after = StoreState(version: version, context: context, pins: pins)
    return CommitRecord(from: base, to: after, origin: origin, writer: writer, deltas: deltas)
  }

  /// The current tables in a context that reuses no stamps: stamps of this version are never published.
  private func ignoringStamps() -> ReadContext {
    for table in tables.indices {
      for row in touched[table] { tables[table].restamp(row, as: base.tables[table]) }
    }
    return ReadContext(catalog: catalog, tables: tables, version: base.version.number)
  }

  private func checkUnique(_ delta: TableDelta) throws(StoreError) {
    let info = catalog.entities[delta.table]
    guard info.hasUnique else { return }
    let table = tables[delta.table]
    for (number, index) in info.indexes.enumerated() where index.isUnique {
      if delta.count >= table.count / 16, !table.mayHaveDuplicates(number, index) { continue }
      for row in delta.touched { try checkUnique(row, number, index, table, info) }
      var cursor = TreeCursor(
        table.rows, at: table.rows.partitionPoint(first: delta.inserted.lowerBound) { _ in false })
      while let entry = cursor.next() { try checkUnique(entry.key.first, number, index, table, info) }
    }
  }

  private func checkUnique(
    _ row: UInt64, _ number: Int, _ index: IndexInfo, _ table: TableState, _ info: EntityInfo
  ) throws(StoreError) {
    guard let object = table.object(row), !index.hasNil(object),
      let other = table.duplicate(of: row, number, index)
    else { return }
    throw info.uniqueViolation(object, table.existing(other), index)
  }
}
