/// How the publication and the followed tables are defined at the server, as far as a replica depends on it.
///
/// The stream says nothing of a table that leaves the publication or is made again, nor what an alteration did to the rows
/// that are there. So a replica that finds other definitions than those it copied with copies again (Z7). Rows of the
/// server's catalog are compared by the transaction that wrote them, too: a table that was taken out and put back differs.
///
/// What is done to a partition that is followed by its root alone is not sent either: one that comes, goes, or is truncated.
/// Such partitions are compared by their files, which a truncation replaces, and so does a rewrite. One that comes and goes
/// again between two looks is known by its description, which the server sends before rows of a partition.
///
/// A label of an enumeration may be added and renamed between two looks, and rows may have come with it. So a row whose label
/// is not known has the definitions compared before it is applied, and if none has the label then, it has another by now.
/// Labels within other values are not looked at: where one is added to these, all is copied.
struct Definitions: Sendable {
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
  /// What may be added to: the types that columns are of, or made of, by the labels of enumerations, the members of composites
  /// and the bases of domains; the replica identity of each table and partition, and the columns that are unique in it.
  private let parts: Set<String>
  /// The labels of the enumerations that columns are of, by the types of the columns.
  let labels: [UInt32: Set<String>]
  /// The partitions of each table that is followed by its root.
  private let partitions: [UInt32: [UInt32: Partition]]

  private struct Partition {
    /// Its file. It is another one after a truncation.
    let file: String
    /// The transaction that wrote the partition's row of the catalog.
    let transaction: UInt32
    /// Whether it has never had a row.
    let isNew: Bool
  }

  /// Reads the definitions.
  ///
  /// - Parameters:
  ///   - old: those that are known. Of partitions that are among them nothing is read that waits for a lock.
  ///   - deadline: when the connection is closed if the server has not answered.
  static func read(
    _ connection: PostgresConnection, _ publication: String, _ tables: [FollowedTable],
    after old: Definitions? = nil, until deadline: ContinuousClock.Instant? = nil
  ) async throws -> Definitions {
    let ids = "{\(tables.map { "\($0.relation.id)" }.joined(separator: ","))}"
    let known = old?.partitions.values.flatMap(\.keys)
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
    let typeIDs = Set(columns.values.joined().map(\.typeID)).sorted()
    let idColumns = Set(tables.compactMap(\.table.idColumn)).map { SQLParameter.text($0) }
    let (parts, labels) = try await parts(
      connection, typeIDs, ids, try SQLParameter.array(idColumns).text, until: deadline)
    return Definitions(
      publication: described.rowCount == 1 ? described[0, 0] ?? "" : "", columns: columns, parts: parts,
      labels: labels,
      partitions: try await partitions(connection, ids, known: known, until: deadline))
  }

  /// The tables of some ids, and the partitions of all levels of those that are partitioned, as `tree(root, id)` of a recursive
  /// statement. A partition that is being detached concurrently is none: its rows are not in the table any more.
  ///
  /// The catalog is read as it was at the snapshot: functions that list partitions go by what it is now.
  ///
  /// - Parameter ids: an expression of type `oid[]`.
  static func tree(of ids: String, _ connection: PostgresConnection) -> String {
    """
    tree(root, id) AS (SELECT r, r FROM unnest(\(ids)) r UNION
      SELECT t.root, i.inhrelid FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.id AND c.relkind = 'p'
        JOIN pg_catalog.pg_inherits i ON i.inhparent = t.id
          AND \(connection.serverVersion >= 140_000 ? "NOT i.inhdetachpending" : "true"))
    """
  }

  /// The kind of the labels of what values are made of, such as the elements of arrays.
  private static let innerLabel = "inner-label"

  private static func parts(
    _ connection: PostgresConnection, _ types: [String], _ tables: String, _ idColumns: String?,
    until deadline: ContinuousClock.Instant?
  ) async throws -> (Set<String>, labels: [UInt32: Set<String>]) {
    let multirange =
      connection.serverVersion >= 140_000 ? "t.oid IN (r.rngtypid, r.rngmultitypid)" : "t.oid = r.rngtypid"
    let rows = try await connection.query(
      """
      WITH RECURSIVE \(tree(of: "$2::oid[]", connection)),
      made(column_type, id, is_inner) AS (SELECT t, t, false FROM unnest($1::oid[]) t UNION
        SELECT m.column_type, p.id, m.is_inner OR p.is_inner FROM made m JOIN pg_catalog.pg_type t ON t.oid = m.id CROSS JOIN LATERAL (
          SELECT t.typbasetype, false UNION SELECT t.typelem, true
          UNION SELECT a.atttypid, true FROM pg_catalog.pg_attribute a
            WHERE a.attrelid = t.typrelid AND t.typrelid <> 0 AND a.attnum > 0 AND NOT a.attisdropped
          UNION SELECT r.rngsubtype, true FROM pg_catalog.pg_range r WHERE \(multirange)) p(id, is_inner) WHERE p.id <> 0)
      SELECT concat_ws(' ', CASE WHEN m.is_inner THEN '\(innerLabel)' ELSE 'label' END, e.oid, e.enumlabel),
        CASE WHEN NOT m.is_inner THEN m.column_type END, e.enumlabel
        FROM made m JOIN pg_catalog.pg_enum e ON e.enumtypid = m.id
      UNION ALL SELECT concat_ws(' ', 'base', t.oid, t.typbasetype, t.typtypmod), NULL, NULL
        FROM made m JOIN pg_catalog.pg_type t ON t.oid = m.id WHERE t.typtype = 'd'
      UNION ALL SELECT concat_ws(' ', 'members', t.oid,
          string_agg(concat_ws(':', a.attnum, a.atttypid, a.atttypmod, a.attname), ',' ORDER BY a.attnum)), NULL, NULL
        FROM (SELECT DISTINCT id FROM made) m JOIN pg_catalog.pg_type t ON t.oid = m.id AND t.typtype = 'c'
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped GROUP BY t.oid
      UNION ALL SELECT concat_ws(' ', 'edge', i.inhparent, i.inhrelid, i.xmin), NULL, NULL
        FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhrelid = t.id JOIN tree p ON p.id = i.inhparent
      UNION ALL SELECT concat_ws(' ', 'identity', c.oid, c.relreplident, i.indkey), NULL, NULL
        FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.id LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid
          AND (c.relreplident = 'd' AND i.indisprimary OR c.relreplident = 'i' AND i.indisreplident)
      UNION ALL SELECT concat_ws(' ', 'unique', i.indrelid, (i.indkey::int2[])[0], i.indimmediate), NULL, NULL
        FROM tree t JOIN pg_catalog.pg_index i ON i.indrelid = t.id JOIN pg_catalog.pg_attribute a
          ON a.attrelid = i.indrelid AND a.attnum = (i.indkey::int2[])[0] AND a.attname = ANY ($3::text[])
        WHERE i.indisunique AND i.indisvalid AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indexprs IS NULL
      """, ["{\(types.joined(separator: ","))}", tables, idColumns], until: deadline)
    var labels: [UInt32: Set<String>] = [:]
    for row in 0..<rows.rowCount {
      if let type = rows[row, 1].flatMap({ UInt32($0) }), let label = rows[row, 2] {
        labels[type, default: []].insert(label)
      }
    }
    return (Set((0..<rows.rowCount).compactMap { rows[$0, 0] }), labels)
  }

  /// - Parameter known: the partitions whose size is not asked for, which would wait for a lock of theirs; nil for all.
  private static func partitions(
    _ connection: PostgresConnection, _ roots: String, known: [UInt32]?,
    until deadline: ContinuousClock.Instant?
  ) async throws -> [UInt32: [UInt32: Partition]] {
    let rows = try await connection.query(
      """
      WITH RECURSIVE \(tree(of: "$1::oid[]", connection))
      SELECT t.root, c.oid, c.relfilenode, c.xmin,
        CASE WHEN $2::oid[] IS NULL OR c.oid = ANY ($2::oid[]) OR c.relkind <> 'r' OR c.relfilenode <> c.oid
          OR c.relpersistence <> 'p' OR c.relreplident NOT IN ('f', r.relreplident) THEN false
          ELSE coalesce(pg_relation_size(c.oid), 1) = 0 END
      FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.id JOIN pg_catalog.pg_class r ON r.oid = t.root
      WHERE c.relkind <> 'p' AND r.relkind = 'p'
      """, [roots, known.map { "{\($0.map(String.init).joined(separator: ","))}" }], until: deadline)
    var partitions: [UInt32: [UInt32: Partition]] = [:]
    for row in 0..<rows.rowCount {
      guard let root = rows[row, 0].flatMap({ UInt32($0) }), let id = rows[row, 1].flatMap({ UInt32($0) }),
        let file = rows[row, 2], let transaction = rows[row, 3].flatMap({ UInt32($0) })
      else { continue }
      partitions[root, default: [:]][id] =
        Partition(file: file, transaction: transaction, isNew: rows[row, 4] == "t")
    }
    return partitions
  }

  /// How they differ from earlier ones.
  enum Difference {
    /// Not, or in what leaves the rows as they were: a label of a column, a partition without rows.
    case none
    /// Files of partitions were replaced, each by a transaction that has truncated their root, if it is one of these.
    case files([UInt32: Set<UInt32>])
    /// What has been copied may not be what there is.
    case other
  }

  /// How they differ from earlier ones.
  func difference(from old: Definitions) -> Difference {
    guard publication == old.publication, columns == old.columns, old.parts.isSubset(of: parts),
      parts.count == old.parts.count
        || !parts.subtracting(old.parts).contains(where: { $0.utf8.starts(with: Self.innerLabel.utf8) })
    else { return .other }
    var files: [UInt32: Set<UInt32>] = [:]
    for root in Set(partitions.keys).union(old.partitions.keys) {
      let (now, before) = (partitions[root] ?? [:], old.partitions[root] ?? [:])
      guard before.keys.allSatisfy({ now[$0] != nil }) else { return .other }
      for (id, partition) in now {
        guard let known = before[id] else {
          if partition.isNew { continue }
          return .other
        }
        if known.file != partition.file { files[root, default: []].insert(partition.transaction) }
      }
    }
    return files.isEmpty ? .none : .files(files)
  }

  /// Whether all of these are partitions of tables that are followed by their root.
  func hasPartitions(_ ids: Set<UInt32>) -> Bool {
    ids.allSatisfy { id in partitions.values.contains { $0[id] != nil } }
  }

  /// That the tables must be copied again.
  static func changed(_ table: String? = nil) -> PostgresError {
    PostgresError(
      PostgresError.definitionChanged,
      table.map { "The definition of table \($0) was changed, so the tables are copied again." }
        ?? "The definition of the publication, a table, a type or a partition was changed, or a partition was truncated or rewritten, so the tables are copied again.",
      table: table)
  }
}

/// A table that is followed.
package struct FollowedTable {
  let table: any ReplicatedTable
  /// How it was described when it was copied.
  let relation: RelationMessage

  package init(table: any ReplicatedTable, relation: RelationMessage) {
    (self.table, self.relation) = (table, relation)
  }

  /// Whether a later description has the same columns among those that are read.
  func matches(_ later: RelationMessage) -> Bool {
    func read(_ relation: RelationMessage) -> [RelationMessage.Column] {
      relation.columns.filter { table.isRead($0.name) }
    }
    return read(relation).elementsEqual(read(later)) { $0.name == $1.name && $0.typeID == $1.typeID }
  }
}
