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

  /// A table that has rows of its own.
  struct Part: Sendable {
    let id: UInt32
    let name: TableName
    /// As that of the table.
    var replicaIdentity: Character = "n"
    /// The columns of its replica identity.
    var keyColumns: [String] = []
    /// The columns that are unique by themselves, and whether each of them is so at any time, not only after a transaction.
    var uniqueColumns: [String: Bool] = [:]
  }

  let id: UInt32
  let name: TableName
  /// What has its rows: the table itself, or the partitions of a partitioned one.
  let parts: [Part]
  /// The columns of the table itself that are unique, as those of a part.
  let uniqueColumns: [String: Bool]
  /// `d` (primary key), `n` (nothing), `f` (full) or `i` (index).
  let replicaIdentity: Character
  /// The columns that are published, in their order.
  let columns: [Column]
  /// The names of the columns that are generated, which are not read.
  let generatedColumns: [String]
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

  /// Whether it is partitioned, so that its rows are those of its partitions.
  var isPartitioned: Bool { parts.map(\.id) != [id] }

  /// The statements that copy the table, one after the other.
  ///
  /// Only a row filter makes it a query. For a query the server computes the constants in indexes and statistics of the
  /// table, by functions that its owner chose, with the rights of the replica's role.
  func copyStatements(isBinary: Bool) -> [String] {
    let columns = columns.map(\.name.asIdentifier).joined(separator: ", ")
    let sources =
      filter.map { ["(SELECT \(columns) FROM \(isPartitioned ? "" : "ONLY ")\(name.sql) WHERE \($0))"] }
      ?? parts.map { "\($0.name.sql) (\(columns))" }
    return sources.map { "COPY \($0) TO STDOUT\(isBinary ? " (FORMAT binary)" : "")" }
  }
}
