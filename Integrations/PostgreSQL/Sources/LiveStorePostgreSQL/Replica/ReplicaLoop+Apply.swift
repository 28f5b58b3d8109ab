import LiveStore

extension ReplicaLoop {
  /// Applies a change of the server to a store that has the state before it.
  ///
  /// - Parameter xid: the number of its transaction.
  func apply(_ message: LogicalMessage, of xid: UInt32, to tx: inout WriteTransaction) throws {
    switch message {
    case .relation(let relation):
      let reader = try reader(of: relation)
      reader?.beginChanges(after: readers[relation.id])
      readers[relation.id] = reader
    case .insert(let relation, let new): try known(relation)?.insert(new, in: &tx)
    case .update(let relation, let old, let isFull, let new):
      try known(relation)?.update(old, isFull: isFull, to: new, in: &tx)
    case .delete(let relation, let old, let isFull):
      try known(relation)?.delete(old, isFull: isFull, in: &tx)
    case .truncate(let relations, _):
      for relation in relations {
        try known(relation)?.truncate()
        if tables[relation] != nil { truncations[relation, default: []].insert(xid) }
      }
    default: break
    }
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
