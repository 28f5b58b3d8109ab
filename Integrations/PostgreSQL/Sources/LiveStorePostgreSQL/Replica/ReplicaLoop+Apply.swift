import LiveStore

extension ReplicaLoop {
  /// Applies a change of the server to a store that has the state before it.
  func apply(_ message: LogicalMessage, to tx: inout WriteTransaction) throws {
    switch message {
    case .relation(let relation): readers[relation.id] = .some(try reader(of: relation))
    case .insert(let relation, let new): try known(relation)?.insert(new, in: &tx)
    case .update(let relation, let old, _, let new): try known(relation)?.update(old, to: new, in: &tx)
    case .delete(let relation, let old, _): try known(relation)?.delete(old, in: &tx)
    case .truncate(let relations, _):
      for relation in relations { try known(relation)?.truncate(in: &tx) }
    default: break
    }
  }

  /// What reads the rows of a relation; nil if it is not followed.
  private func known(_ relation: UInt32) throws -> (any RowReader)? {
    guard let reader = readers[relation] else {
      throw PostgresError(
        PostgresError.protocolViolation,
        "The server sent a change of relation \(relation), which it has not described.")
    }
    return reader
  }

  private func reader(of relation: RelationMessage) throws -> (any RowReader)? {
    let name = TableName(schema: relation.namespace, table: relation.name)
    guard let table = source.tables.first(where: { $0.name == name }) else { return nil }
    return try table.makeReader(RowLayout(relation, types))
  }
}
