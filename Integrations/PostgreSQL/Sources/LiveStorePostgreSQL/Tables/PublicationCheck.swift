/// Reads how a publication and its tables are, and finds what cannot be followed before anything is copied.
struct PublicationCheck {
  let connection: PostgresConnection
  let publication: String
  /// Makes a connection on which statements may write.
  let connect: () async throws -> PostgresConnection

  private var named: String { "The publication \(publication)" }

  private static func invalid(_ message: String, table: String? = nil, column: String? = nil) -> PostgresError
  {
    PostgresError(
      table == nil ? PostgresError.invalidPublication : PostgresError.invalidTable, message, table: table,
      column: column)
  }

  /// The tables as the server has them, in the order given.
  ///
  /// - Throws: `invalidPublication`, `invalidTable`.
  func published(_ tables: [any ReplicatedTable]) async throws -> [PublishedTable] {
    let operations = try await operations()
    var result: [PublishedTable] = []
    for table in tables {
      let published = try await read(table.name)
      try await checkFilter(table, published)
      try check(table, published, operations)
      result.append(published)
    }
    return result
  }

  /// What the publication sends besides insertions.
  private struct Operations {
    let updates: Bool
    let deletions: Bool
  }

  private func operations() async throws -> Operations {
    let result = try await connection.query(
      "SELECT pubinsert, pubupdate, pubdelete, pubtruncate FROM pg_catalog.pg_publication WHERE pubname = $1::text",
      [publication])
    guard result.rowCount == 1 else {
      throw Self.invalid(
        "There is no publication \(publication) in this database. Make it: CREATE PUBLICATION \(publication.asIdentifier) FOR TABLE …"
      )
    }
    let names = ["insert", "update", "delete", "truncate"]
    if let missing = names.indices.first(where: { result[0, $0] != "t" }) {
      throw Self.invalid(
        "\(named) leaves out the operation \(names[missing]), so a replica could not follow. Set it: ALTER PUBLICATION \(publication.asIdentifier) SET (publish = 'insert, update, delete, truncate')"
      )
    }
    return Operations(updates: result[0, 1] == "t", deletions: result[0, 2] == "t")
  }

  /// Reads a table.
  private func read(_ name: TableName) async throws -> PublishedTable {
    let isNewer = connection.serverVersion >= 150_000
    let table = try await connection.query(
      """
      SELECT c.oid, c.relreplident, c.relkind, least(c.reltuples, 1e15)::bigint,
        \(isNewer ? "p.rowfilter, p.attnames::text[]" : "NULL, NULL"), p.tablename IS NOT NULL,
        \(isNewer ? "" : "NULL AS unused,") row_security_active(c.oid)
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_catalog.pg_publication_tables p
        ON p.pubname = $3::text AND p.schemaname = n.nspname AND p.tablename = c.relname
      WHERE n.nspname = $1::text AND c.relname = $2::text
      """, [name.schema, name.table, publication])
    guard table.rowCount == 1, let id = table[0, "oid"].flatMap({ UInt32($0) }) else {
      // The server makes a table of a longer name under its beginning.
      let isLong = max(name.schema.utf8.count, name.table.utf8.count) > 63
      throw Self.invalid(
        "There is no table \(name) in this database.\(isLong ? " The server's names have at most 63 bytes." : "")",
        table: "\(name)")
    }
    guard table[0, 6] == "t" else {
      throw Self.invalid(
        table[0, "relkind"] == "p"
          ? "\(named) publishes the partitions of table \(name), not the table. Set it: ALTER PUBLICATION \(publication.asIdentifier) SET (publish_via_partition_root = true)"
          : "\(named) does not publish table \(name). Add it: ALTER PUBLICATION \(publication.asIdentifier) ADD TABLE \(name.sql)",
        table: "\(name)")
    }
    let isPartitioned = table[0, "relkind"] == "p"
    // The server refuses a copy of the table itself, but not of each partition.
    if isPartitioned, table[0, "row_security_active"] == "t" {
      throw Self.invalid(
        "Row security would hide rows of table \(name) from the copy, and not from the stream. Give the role BYPASSRLS, and use a row filter of the publication.",
        table: "\(name)")
    }
    // Names are compared by bytes, as the server does.
    let published = table[0, 5].map { Set(ArrayValue.texts(of: $0).map { Array($0.utf8) }) }
    let all = try await columns(of: id)
    let columns = all.columns.filter { published?.contains(Array($0.name.utf8)) ?? true }
    return PublishedTable(
      id: id, name: name,
      parts: isPartitioned ? try await partitions(of: id) : [PublishedTable.Part(id: id, name: name)],
      uniqueColumns: try await uniqueColumns(of: [id])[id] ?? [:],
      replicaIdentity: table[0, "relreplident"]?.first ?? "n",
      columns: columns, generatedColumns: all.generated, filter: table.value(0, 4),
      estimatedRows: max(0, table[0, 3].flatMap { Int($0) } ?? 0)
    )
  }

  /// The partitions that have rows, of all levels.
  private func partitions(of id: UInt32) async throws -> [PublishedTable.Part] {
    let result = try await connection.query(
      """
      WITH RECURSIVE \(Definitions.tree(of: "ARRAY[$1::oid]", connection))
      SELECT c.oid, n.nspname, c.relname, c.relreplident, \(Self.keyColumns)
      FROM tree t JOIN pg_catalog.pg_class c ON c.oid = t.id
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind <> 'p' ORDER BY c.oid
      """, ["\(id)"])
    var parts: [PublishedTable.Part] = []
    for row in 0..<result.rowCount {
      guard let id = result[row, 0].flatMap({ UInt32($0) }), let schema = result[row, 1],
        let table = result[row, 2]
      else { continue }
      var part = PublishedTable.Part(id: id, name: TableName(schema: schema, table: table))
      part.replicaIdentity = result[row, 3]?.first ?? "n"
      part.keyColumns = result[row, 4].map { ArrayValue.texts(of: $0) } ?? []
      parts.append(part)
    }
    let unique = try await uniqueColumns(of: parts.map(\.id))
    for index in parts.indices { parts[index].uniqueColumns = unique[parts[index].id] ?? [:] }
    return parts
  }

  /// The columns of the replica identity of a table `c`, of which an index may include others.
  private static let keyColumns = """
    (SELECT array_agg(a.attname::text) FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a
      ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
      WHERE i.indrelid = c.oid
        AND (c.relreplident = 'd' AND i.indisprimary AND i.indimmediate OR c.relreplident = 'i' AND i.indisreplident))
    """

  /// The columns of tables that are unique by themselves, and whether at any time.
  private func uniqueColumns(of ids: [UInt32]) async throws -> [UInt32: [String: Bool]] {
    let result = try await connection.query(
      """
      SELECT i.indrelid, a.attname, bool_or(i.indimmediate) FROM pg_catalog.pg_index i
      JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = (i.indkey::int2[])[0]
      WHERE i.indrelid = ANY ($1::oid[]) AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 1
        AND i.indpred IS NULL AND i.indexprs IS NULL GROUP BY 1, 2
      """, ["{\(ids.map(String.init).joined(separator: ","))}"])
    var columns: [UInt32: [String: Bool]] = [:]
    for row in 0..<result.rowCount {
      guard let id = result[row, 0].flatMap({ UInt32($0) }), let name = result[row, 1] else { continue }
      columns[id, default: [:]][name] = result[row, 2] == "t"
    }
    return columns
  }

  private func columns(of id: UInt32) async throws -> (columns: [PublishedTable.Column], generated: [String])
  {
    let result = try await connection.query(
      """
      SELECT a.attname, a.atttypid, a.attstorage <> 'p', coalesce(a.attname::text = ANY (\(Self.keyColumns)::text[]), false),
        a.attgenerated <> ''
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
      WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """, ["\(id)"])
    var (columns, generated): ([PublishedTable.Column], [String]) = ([], [])
    for row in 0..<result.rowCount {
      guard let name = result[row, 0], let type = result[row, 1].flatMap({ UInt32($0) }) else { continue }
      if result[row, 4] == "t" {
        generated.append(name)
      } else {
        columns.append(
          PublishedTable.Column(
            name: name, typeID: type, isToastable: result[row, 2] == "t", isKey: result[row, 3] == "t"))
      }
    }
    return (columns, generated)
  }

  // MARK: Checks

  private func check(_ table: any ReplicatedTable, _ published: PublishedTable, _ operations: Operations)
    throws
  {
    let name = "\(table.name)"
    let changes = operations.updates || operations.deletions
    let isFull = published.replicaIdentity == "f"
    if let idColumn = table.idColumn {
      guard let column = published.columns.first(where: { $0.name.isSame(as: idColumn) }) else {
        if published.generatedColumns.contains(where: { $0.isSame(as: idColumn) }) {
          throw Self.invalid(
            "Column \(idColumn) of table \(name), which would be the id of \(table.entity), is generated, and generated columns are not replicated. Read the id of other columns by `id:`.",
            table: name, column: idColumn)
        }
        throw Self.invalid(
          "\(named) sends no column \(idColumn) of table \(name), which would be the id of \(table.entity). Name the column by `columns:`, or read the id by `id:`.",
          table: name, column: idColumn)
      }
      if changes, !isFull, !published.isPartitioned, !column.isKey {
        throw Self.invalid(
          "Column \(idColumn), the id of \(table.entity), is not part of the replica identity of table \(name), so updates and deletions would not say which object they mean. Make it the primary key, or: ALTER TABLE \(table.name.sql) REPLICA IDENTITY FULL",
          table: name, column: idColumn)
      }
      try checkUnique(idColumn, table, published)
    }
    if changes, published.isPartitioned { try checkPartitions(table, published) }
    if changes, !published.isPartitioned,
      published.replicaIdentity == "n" || (!isFull && !published.columns.contains(where: \.isKey))
    {
      throw Self.invalid(
        "Table \(name) has no replica identity, so the server refuses updates and deletions. Give it a primary key, or: ALTER TABLE \(table.name.sql) REPLICA IDENTITY FULL",
        table: name)
    }
    if operations.updates, !table.completesObjects, !isFull,
      let column = published.columns.first(where: \.isToastable)
    {
      throw Self.invalid(
        "Table \(name) is read by a closure, and the server leaves out large values of column \(column.name) that an update does not change. Set: ALTER TABLE \(table.name.sql) REPLICA IDENTITY FULL, or make \(table.entity) Codable and leave out the closure.",
        table: name, column: column.name)
    }
  }

  /// Rows of one id would be one object.
  private func checkUnique(
    _ column: String, _ table: any ReplicatedTable, _ published: PublishedTable
  ) throws {
    func isUnique(_ columns: [String: Bool], _ identity: Character) -> Bool {
      columns.contains { $0.key.isSame(as: column) && ($0.value || identity == "f") }
    }
    if isUnique(published.uniqueColumns, published.replicaIdentity) { return }
    // Where the table is partitioned by another column, it cannot have such an index.
    if published.isPartitioned,
      published.parts.allSatisfy({ isUnique($0.uniqueColumns, $0.replicaIdentity) })
    {
      return
    }
    let isDeferrable = published.uniqueColumns.contains { $0.key.isSame(as: column) }
    throw Self.invalid(
      isDeferrable
        ? "Column \(column), the id of \(table.entity), is unique in table \(table.name) only at the end of a transaction, since its constraint is deferrable. Updates would not say which row they mean: ALTER TABLE \(table.name.sql) REPLICA IDENTITY FULL"
        : "Column \(column), the id of \(table.entity), has no unique index of its own in table \(table.name), so that rows of one id would be one object. Make it the primary key, or unique, or make the id of several columns by `id:`.",
      table: "\(table.name)", column: column)
  }

  /// Changes of rows say what the replica identity of their partition has, not that of the table.
  private func checkPartitions(_ table: any ReplicatedTable, _ published: PublishedTable) throws {
    for part in published.parts where part.replicaIdentity != "f" {
      if published.replicaIdentity == "f" {
        throw Self.invalid(
          "Table \(table.name) has REPLICA IDENTITY FULL, and its partition \(part.name) has not. Set it: ALTER TABLE \(part.name.sql) REPLICA IDENTITY FULL",
          table: "\(table.name)")
      }
      if part.replicaIdentity == "n" || part.keyColumns.isEmpty {
        throw Self.invalid(
          "Partition \(part.name) of table \(table.name) has no replica identity, so the server refuses updates and deletions. Give it a primary key, or: ALTER TABLE \(part.name.sql) REPLICA IDENTITY FULL",
          table: "\(table.name)")
      }
      guard let idColumn = table.idColumn else { continue }
      // Where rows of one id may be in two partitions for a while, the key of the table says which is meant.
      let isUnique = published.uniqueColumns.keys.contains { $0.isSame(as: idColumn) }
      let needed = [idColumn] + (isUnique ? [] : published.columns.filter(\.isKey).map(\.name))
      if needed.allSatisfy({ name in part.keyColumns.contains { $0.isSame(as: name) } }) { continue }
      throw Self.invalid(
        "Column \(idColumn), the id of \(table.entity), is not part of the replica identity of partition \(part.name) of table \(table.name), so updates and deletions would not say which object they mean. Set: ALTER TABLE \(part.name.sql) REPLICA IDENTITY FULL",
        table: "\(table.name)", column: idColumn)
    }
  }

  private func checkFilter(_ table: any ReplicatedTable, _ published: PublishedTable) async throws {
    if published.filter == nil, table.filter == nil { return }
    guard let expected = table.filter, let filter = published.filter else {
      throw filterMismatch(table, published)
    }
    if filter.isSame(as: expected) { return }
    guard let text = try await serverText(of: expected, table.name), text.isSame(as: filter) else {
      throw filterMismatch(table, published)
    }
  }

  /// A filter as the server writes it, by which two spellings of one are recognised: as a constraint of a temporary
  /// table, which is never committed.
  private func serverText(of filter: String, _ table: TableName) async throws -> String? {
    let sql = try await connect()
    defer { sql.finish() }
    // The filter is the program's, and may name what is in its schemas. It is not evaluated.
    _ = try await sql.execute("BEGIN; RESET search_path")
    do {
      _ = try await sql.query(
        "CREATE TEMPORARY TABLE livestore_filter (LIKE \(table.sql), CONSTRAINT livestore_filter CHECK (\(filter)))"
      )
    } catch let error as PostgresError where error.code == PostgresError.serverError {
      throw Self.invalid(
        "The filter \(filter) of table \(table) cannot be compared with that of the publication: \(error.message)",
        table: "\(table)")
    }
    // The text of an expression has the names of schemas that are not searched, as that of the publication's filter has.
    _ = try await sql.execute("SET LOCAL search_path = ''")
    let result = try await sql.query(
      """
      SELECT pg_get_expr(conbin, conrelid) FROM pg_catalog.pg_constraint
      WHERE conrelid = 'pg_temp.livestore_filter'::regclass AND conname = 'livestore_filter'
      """)
    return result.rowCount == 1 ? result.value(0, 0) : nil
  }

  private func filterMismatch(_ table: any ReplicatedTable, _ published: PublishedTable) -> PostgresError {
    let name = table.name
    let message =
      switch (table.filter, published.filter) {
      case (let filter?, nil):
        connection.serverVersion < 150_000
          ? "Row filters need version 15 of the server; table \(name) was to have \(filter)."
          : "\(named) has no row filter for table \(name). Set it: ALTER PUBLICATION \(publication.asIdentifier) SET TABLE \(name.sql) WHERE (\(filter))"
      case (_, let filter?):
        "\(named) filters the rows of table \(name) by \(filter), not by \(table.filter ?? "nothing"). Write `where:` as the server has it."
      case (nil, nil): ""
      }
    return Self.invalid(message, table: "\(name)")
  }
}
