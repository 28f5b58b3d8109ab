import LiveStore

/// A row has a label of an enumeration that is not known.
struct UnknownLabel: Error {}

extension ReplicaLoop {
  /// Applies a change of the server to a store that has the state before it.
  ///
  /// Rows that are inserted, or that take the places of others with their ids, are applied with the next change of another
  /// kind, so that they are in order among all changes, or at the end.
  ///
  /// - Parameter xid: the number of its transaction.
  func apply(_ message: LogicalMessage, of xid: UInt32, to tx: inout WriteTransaction) throws {
    switch message {
    case .insert(let relation, let new), .update(let relation, _, _, let new):
      try checkLabels(of: new, relation)
    default: break
    }
    switch message {
    case .insert(let relation, let new):
      return try add(new, of: relation, areUpdates: false, to: &tx)
    case .update(let relation, nil, _, let new) where !new.hasUnchanged:
      return try add(new, of: relation, areUpdates: true, to: &tx)
    default: try applyRun(to: &tx)
    }
    switch message {
    case .relation(let relation):
      guard let reader = try reader(of: relation) else { return }
      reader.beginChanges(refused.leftOut[relation.id] ?? [:], after: readers[relation.id])
      readers[relation.id] = reader
      let labelled = relation.columns.enumerated().filter {
        types.type($1.typeID).kind == .enumeration && tables[relation.id]?.table.isRead($1.name) == true
      }
      labelColumns[relation.id] = labelled.isEmpty ? nil : labelled.map { ($0, $1.typeID) }
    case .update(let relation, let old, let isFull, let new):
      try change(relation, old, to: new) { try $0.update(old, isFull: isFull, to: new, in: &tx) }
    case .delete(let relation, let old, let isFull):
      try change(relation, old, to: nil) { try $0.delete(old, isFull: isFull, in: &tx) }
    case .truncate(let relations, _):
      for relation in relations {
        try known(relation)?.truncate()
        refused.follow(relation) { $0.isMended = true }
        if tables[relation] != nil { truncations[relation, default: []].insert(xid) }
      }
    default: break
    }
  }

  /// Checks that a row has labels that are known.
  ///
  /// - Throws: ``UnknownLabel``.
  private func checkLabels(of row: TupleData, _ relation: UInt32) throws {
    guard !labelColumns.isEmpty, let columns = labelColumns[relation], !refused.isStopped(relation) else {
      return
    }
    for (column, type) in columns where column < row.count && row[column].form.isValue {
      if !isKnown(row.value(column), of: type) { throw UnknownLabel() }
    }
  }

  /// Adds a row to those that are applied together.
  private func add(
    _ row: TupleData, of relation: UInt32, areUpdates: Bool, to tx: inout WriteTransaction
  ) throws {
    if tables[relation] == nil || pendingRows?.append(relation, row, areUpdates: areUpdates) == true {
      return
    }
    try applyRun(to: &tx)
    pendingRows = RowRun(relation, row, areUpdates: areUpdates)
  }

  /// Applies the rows that have come one behind the other.
  private func applyRun(to tx: inout WriteTransaction) throws {
    guard let run = pendingRows, let reader = try known(run.table) else { return }
    pendingRows = nil
    if refused.isStopped(run.table) {
      for row in 0..<run.rows.count {
        refused.follow(run.table) { reader.follow(&$0, from: nil, to: run.rows[row]) }
      }
      return
    }
    try refusing(run.table, reader) {
      try run.areUpdates ? reader.update(run.rows, in: &tx) : reader.insert(run.rows, in: &tx)
    }
  }

  /// Begins a transaction of the server.
  func beginChanges() {
    pendingRows = nil
    for (table, reader) in readers { reader.beginChanges(refused.leftOut[table] ?? [:], after: nil) }
  }

  /// Ends the transaction: the store has what the tables have that are not stopped.
  ///
  /// - Throws: a ``RefusedRow``; that all is copied, if a row that was left out can be read by a copy alone.
  func finishChanges(in tx: inout WriteTransaction) throws {
    try applyRun(to: &tx)
    for (table, reader) in readers where !refused.isStopped(table) {
      try refusing(table, reader) { try reader.finishChanges(in: &tx) }
      if reader.needsCopy { throw RefusedRows.changed((tables[table]?.table.name).map { "\($0)" }) }
    }
  }

  /// Records the rows that the transaction has left out, once it is committed.
  func takeLeftOut() {
    for (table, reader) in readers where !refused.isStopped(table) { refused.take(table, reader) }
  }

  /// Applies a change of a row, or looks what it does to the row for which its table is stopped.
  private func change(
    _ table: UInt32, _ old: TupleData?, to new: TupleData?, _ body: (any RowReader) throws -> Void
  ) throws {
    guard let reader = try known(table) else { return }
    if refused.isStopped(table) { return refused.follow(table) { reader.follow(&$0, from: old, to: new) } }
    try refusing(table, reader) { try body(reader) }
  }

  /// Runs what may refuse a row of a table.
  ///
  /// - Throws: a ``RefusedRow``.
  package func refusing(_ table: UInt32, _ reader: any RowReader, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as PostgresError where error.isRefusal {
      throw refused(table, reader.lastRefused, error)
    }
  }

  /// That a row of a table is refused.
  func refused(_ table: UInt32, _ last: (id: RowID?, value: RefusedValue), _ error: PostgresError)
    -> RefusedRow
  {
    RefusedRow(
      table: table, id: last.id, refusal: Refusal(error: error, value: last.value),
      stopsAll: tables[table]?.table.unreadable == .stopReplica)
  }

  /// What reads the rows of a relation; nil if it is not followed.
  private func known(_ relation: UInt32) throws -> (any RowReader)? {
    if tables[relation] == nil { return nil }
    guard let reader = readers[relation] else {
      throw PostgresError(
        PostgresError.protocolViolation,
        "The server sent a change of relation \(relation), which it has not described.")
    }
    return reader
  }

  /// What reads the rows of a relation; nil if it is not followed.
  ///
  /// - Throws: `definitionChanged` if the table is not as it was copied: another one has taken its name, it has another
  ///   name, or columns that are read were added, altered or dropped.
  private func reader(of relation: RelationMessage) throws -> (any RowReader)? {
    guard isFollowed(relation) else { return nil }
    let name = TableName(schema: relation.namespace, table: relation.name)
    guard let followed = tables[relation.id], followed.table.name == name, followed.matches(relation) else {
      throw Definitions.changed("\(name)")
    }
    return try followed.table.makeReader(RowLayout(relation, types))
  }

  /// Whether a relation is followed, or has the name of a table that is.
  func isFollowed(_ relation: RelationMessage) -> Bool {
    let name = TableName(schema: relation.namespace, table: relation.name)
    return tables[relation.id] != nil || tables.values.contains { $0.table.name == name }
  }
}
