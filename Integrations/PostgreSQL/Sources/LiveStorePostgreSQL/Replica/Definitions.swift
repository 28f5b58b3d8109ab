/// How the publication and the followed tables are defined at the server, as far as a replica depends on it.
///
/// The stream says nothing of a table that leaves the publication or is made again, nor what an alteration did to the rows
/// that are there. So a replica that finds other definitions than those it copied with copies again (Z7). Rows of the
/// server's catalog are compared by the transaction that wrote them, too: a table that was taken out and put back differs.
struct Definitions: Equatable, Sendable {
  /// A column that is read.
  private struct Column: Equatable {
    let number: String
    let name: String
    let typeID: String
    /// The modifier of its type, and the transaction that wrote the column's row of the catalog.
    let rest: String
  }

  /// The publication, the entries of the tables in it, and their names.
  private let publication: String
  /// The columns that are read, by the table.
  private let columns: [UInt32: [Column]]

  /// Reads the definitions.
  ///
  /// - Parameter deadline: when the connection is closed if the server has not answered.
  static func read(
    _ connection: PostgresConnection, _ publication: String, _ tables: [FollowedTable],
    until deadline: ContinuousClock.Instant? = nil
  ) async throws -> Definitions {
    let ids = "{\(tables.map { "\($0.relation.id)" }.joined(separator: ","))}"
    let schemas =
      connection.serverVersion >= 150_000
      ? "(SELECT string_agg(concat_ws(':', s.oid, s.xmin), ',' ORDER BY s.oid) FROM pg_catalog.pg_publication_namespace s WHERE s.pnpubid = p.oid)"
      : "NULL"
    let described = try await connection.query(
      """
      SELECT concat_ws(' ', p.oid, p.xmin, \(schemas),
        (SELECT string_agg(concat_ws(':', r.oid, r.xmin), ',' ORDER BY r.oid) FROM pg_catalog.pg_publication_rel r
         WHERE r.prpubid = p.oid AND r.prrelid IN (SELECT unnest($2::oid[])
           UNION SELECT a.relid FROM unnest($2::oid[]) t, pg_catalog.pg_partition_ancestors(t) a)),
        (SELECT string_agg(concat_ws('.', c.oid, quote_ident(n.nspname), quote_ident(c.relname)), ',' ORDER BY c.oid) FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($2::oid[])))
      FROM pg_catalog.pg_publication p WHERE p.pubname = $1::text
      """, [publication, ids], until: deadline)
    let rows = try await connection.query(
      """
      SELECT attrelid, attnum, attname, atttypid, concat_ws(' ', atttypmod, xmin) FROM pg_catalog.pg_attribute
      WHERE attrelid = ANY ($1::oid[]) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attrelid, attnum
      """, [ids], until: deadline)
    var columns: [UInt32: [Column]] = [:]
    let byID = Dictionary(tables.map { ($0.relation.id, $0.table) }, uniquingKeysWith: { first, _ in first })
    for row in 0..<rows.rowCount {
      guard let table = rows[row, 0].flatMap({ UInt32($0) }), let number = rows[row, 1],
        let name = rows[row, 2],
        let typeID = rows[row, 3], byID[table]?.isRead(name) ?? false
      else { continue }
      columns[table, default: []].append(
        Column(number: number, name: name, typeID: typeID, rest: rows[row, 4] ?? ""))
    }
    return Definitions(
      publication: described.rowCount == 1 ? described[0, 0] ?? "" : "", columns: columns)
  }

  /// That the tables must be copied again.
  static func changed(_ table: String? = nil) -> PostgresError {
    PostgresError(
      PostgresError.definitionChanged,
      table.map { "The definition of table \($0) was changed, so the tables are copied again." }
        ?? "The definition of the publication or of a table was changed, so the tables are copied again.",
      table: table)
  }
}

/// A table that is followed.
struct FollowedTable {
  let table: any ReplicatedTable
  /// How it was described when it was copied.
  let relation: RelationMessage

  /// Whether a later description has the same columns among those that are read.
  func matches(_ later: RelationMessage) -> Bool {
    func read(_ relation: RelationMessage) -> [RelationMessage.Column] {
      relation.columns.filter { table.isRead($0.name) }
    }
    return read(relation).elementsEqual(read(later)) { $0.name == $1.name && $0.typeID == $1.typeID }
  }
}
