/// A table as the server describes it, and what the publication sends of it.
struct PublishedTable: Sendable {
  package struct Column: Sendable {
    let name: String
    let typeID: UInt32
    /// Whether a value may be stored out of line, and so be left out of an update that does not change it.
    let isToastable: Bool
    /// Whether the column is part of the replica identity.
    let isKey: Bool
  }

  let id: UInt32
  let name: TableName
  /// Whether it is partitioned, so that its rows are those of its partitions.
  let isPartitioned: Bool
  /// `d` (primary key), `n` (nothing), `f` (full) or `i` (index).
  let replicaIdentity: Character
  /// The columns that are published, in their order.
  let columns: [Column]
  /// The publication's row filter.
  let filter: String?
  /// About how many rows the table has.
  let estimatedRows: Int

  /// The description that the stream would send.
  var relation: RelationMessage {
    RelationMessage(
      id: id, namespace: name.schema, name: name.table, replicaIdentity: replicaIdentity.asciiValue ?? 0,
      columns: columns.map { column in
        RelationMessage.Column(
          name: column.name, isKey: column.isKey || replicaIdentity == "f", typeID: column.typeID,
          modifier: -1)
      })
  }

  /// The statement that copies the table.
  func copyStatement(isBinary: Bool) -> String {
    let columns = columns.map(\.name.asIdentifier).joined(separator: ", ")
    let filter = filter.map { " WHERE \($0)" } ?? ""
    return
      "COPY (SELECT \(columns) FROM \(isPartitioned ? "" : "ONLY ")\(name.sql)\(filter)) TO STDOUT\(isBinary ? " (FORMAT binary)" : "")"
  }
}
