import LiveStore
import Synchronization

// A copy and the stream that goes on from it. A new slot exports a snapshot, which has what was committed before a
// position of the log and nothing else. The tables are read in that snapshot, and the stream starts at that position, so
// each transaction is in one of the two (Z1).

extension ReplicaLoop {
  /// Copies the tables and starts the stream.
  func copyAndStart(_ connection: PostgresConnection) async throws {
    let hasSlot = try await prepareDurableSlot()
    let temporary = "livestore_\(UInt64.random(in: 0...UInt64.max))"
    let name = hasSlot ? temporary : source.slot.name ?? temporary
    let isTemporary = hasSlot || source.slot.name == nil
    var position: LogSequenceNumber?
    for attempt in 1...Self.copyAttempts where position == nil {
      let slot = try await createSlot(connection, name, isTemporary: isTemporary)
      do {
        if try await copy(snapshot: slot.snapshot) {
          position = slot.position
        } else if attempt == Self.copyAttempts {
          throw PostgresError(
            PostgresError.connectionFailed,
            "The tables cannot be copied: each time, one was truncated or rewritten meanwhile.")
        }
      } catch {
        if !isTemporary {
          // Otherwise the server would keep its log for a slot that no replica reads.
          _ = try? await connection.execute(
            "DROP_REPLICATION_SLOT \(name.asIdentifier)", graceAfterCancellation: .seconds(5))
        }
        throw error
      }
      if position == nil || hasSlot {
        _ = try await connection.execute("DROP_REPLICATION_SLOT \(name.asIdentifier)")
      }
    }
    guard let position else { return }
    let reason = copyReason?.code
    engine.update { status in
      status.copies += 1
      if let reason { status.copyReasons[reason, default: 0] += 1 }
    }
    try await startReplication(connection, slot: hasSlot ? source.slot.name ?? name : name, from: position)
  }

  private static var copyAttempts: Int { 20 }

  // MARK: Slots

  /// Looks for the durable slot of an earlier replica. One that can no longer be read is dropped.
  ///
  /// - Returns: whether there is one to be read.
  private func prepareDurableSlot() async throws -> Bool {
    guard let name = source.slot.name else { return false }
    let sql = try await catalog.connection()
    try await warnOfRetention(sql)
    // The server may not have noticed yet that the program before this one has ended.
    let deadline = ContinuousClock.now + min(.seconds(5), source.options.connectTimeout)
    var found = try await slot(name, sql)
    while found.rowCount == 1, found[0, 1] == "t", .now < deadline {
      try await Task.sleep(for: .milliseconds(50))
      found = try await slot(name, sql)
    }
    guard found.rowCount == 1 else { return false }
    guard found[0, 0] == "pgoutput", found[0, 3] == "t" else {
      throw PostgresError(
        PostgresError.slotInUse,
        "The replication slot \(name) belongs to something else: it is of \(found[0, 0] ?? "physical replication"), or of another database. Choose another name."
      )
    }
    guard found[0, 1] == "f" else {
      throw PostgresError(
        PostgresError.slotInUse,
        "Another process reads from the replication slot \(name). A durable slot feeds one replica at a time: give each its own name, or use temporary slots."
      )
    }
    if found[0, 2] != "lost" { return true }
    _ = try await sql.query("SELECT pg_drop_replication_slot($1)", [name])
    return false
  }

  private func slot(_ name: String, _ sql: PostgresConnection) async throws -> QueryResult {
    try await sql.query(
      """
      SELECT plugin, active, wal_status, database = current_database() FROM pg_catalog.pg_replication_slots
      WHERE slot_name = $1::text
      """, [name])
  }

  private func warnOfRetention(_ sql: PostgresConnection) async throws {
    let setting = try await sql.query(
      "SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'max_slot_wal_keep_size'")
    let megabytes = setting.rowCount == 1 ? setting[0, 0].flatMap { Int($0) } ?? -1 : -1
    let limit = megabytes < 0 ? nil : megabytes << 20
    engine.update { $0.retentionLimit = limit }
    guard let name = source.slot.name, engine.status.copies == 0 else { return }
    source.options.onWarning(
      limit.map {
        "The replication slot \(name) stays when this program ends. The server keeps up to \($0 >> 20) MB of log for it (max_slot_wal_keep_size), and drops what is older. Drop the slot when it is no longer needed."
      }
        ?? "The replication slot \(name) stays when this program ends, and the server keeps its log for it until the disk is full. Set max_slot_wal_keep_size, and drop the slot when it is no longer needed."
    )
  }

  private func createSlot(
    _ connection: PostgresConnection, _ name: String, isTemporary: Bool
  ) async throws -> (position: LogSequenceNumber, snapshot: String) {
    let options = connection.serverVersion >= 150_000 ? "(SNAPSHOT 'export')" : "EXPORT_SNAPSHOT"
    let result: [QueryResult]
    do {
      result = try await connection.execute(
        "CREATE_REPLICATION_SLOT \(name.asIdentifier)\(isTemporary ? " TEMPORARY" : "") LOGICAL pgoutput \(options)"
      )
    } catch let error as PostgresError where error.sqlState == "55000" {
      throw PostgresError(
        PostgresError.unsupportedServer,
        "The server cannot replicate: \(error.message) Set wal_level = logical and restart it.",
        sqlState: error.sqlState)
    }
    guard let row = result.last, row.rowCount == 1,
      let position = row[0, "consistent_point"].flatMap({ LogSequenceNumber($0) }),
      let snapshot = row[0, "snapshot_name"]
    else {
      throw PostgresError(
        PostgresError.protocolViolation, "The server made a slot and did not say where it begins.")
    }
    return (position, snapshot)
  }

  // MARK: Rows

  /// Makes the rows of a snapshot what the store has.
  ///
  /// - Returns: false if a table was truncated or rewritten since the snapshot. Then its rows at the snapshot are gone.
  private func copy(snapshot: String) async throws -> Bool {
    let sql = try await connect()
    defer { sql.finish() }
    _ = try await sql.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do {
      _ = try await sql.execute("SET TRANSACTION SNAPSHOT \(SQL.literal(snapshot))")
    } catch let error as PostgresError where error.sqlState == "22023" {
      throw PostgresError(
        PostgresError.connectionFailed, "The replication connection was lost, and its snapshot with it.")
    }
    try await loadTypes(sql)
    let check = PublicationCheck(connection: sql, publication: source.publication) {
      try await self.connect()
    }
    let published = try await check.published(source.tables)
    if try await !lock(published, sql) { return false }
    let followed = zip(source.tables, published).map { FollowedTable(table: $0, relation: $1.relation) }
    tables = Dictionary(followed.map { ($0.relation.id, $0) }, uniquingKeysWith: { first, _ in first })
    accept(try await Definitions.read(sql, source.publication, followed))
    let layouts = published.map { RowLayout($0.relation, types, generated: $0.generatedColumns) }
    isBinary = layouts.allSatisfy(\.isBinarySafe)
    var progress = CopyProgress(
      table: "", rows: 0, estimatedRows: published.reduce(0) { $0 + min($1.estimatedRows, 1 << 50) })
    let readers = try zip(source.tables, layouts).map { try $0.makeReader($1) }
    for reader in readers { engine.warn(reader.warnings) }
    if let copyReason {
      source.options.onWarning("All tables are copied again after an error. \(copyReason.message)")
    }
    let isFirst = engine.status.copies == 0
    let first = isFirst ? FirstCopy(engine, readers, estimates: published.map(\.estimatedRows)) : nil
    if !isFirst { try await engine.compare(readers) }
    var refusals: [RefusedRow] = []
    let decided: Set<UInt64>
    do {
      for (index, table) in published.enumerated() {
        progress.table = "\(table.name)"
        do {
          try await stage(table, source.tables[index], readers[index], layouts[index], sql, first, &progress)
          // After the first copy, the store has the rows only when all have come.
          if !isFirst {
            try refusing(table.id, readers[index]) { try readers[index].checkStaged() }
          }
        } catch let row as RefusedRow {
          if isFirst { throw row.refusal.error }
          refusals.append(row)
        }
        first?.end(index)
      }
      decided = try await decidedTransactions(sql)
      _ = try await sql.execute("COMMIT")
    } catch {
      try await first?.abandon(error)
      throw error
    }
    if let first {
      try await first.finish()
      for reader in readers { try reader.checkLeftOut(in: engine.store.snapshot()) }
    }
    try await take(
      Array(zip(published.map(\.id), readers)), refusals, isDecided: isFirst ? nil : { decided.contains($0) })
    return true
  }

  /// Makes the rows of a copy what the store has of the tables that are not stopped, and records those that are refused.
  ///
  /// - Parameters:
  ///   - copies: what has read the rows, by the tables.
  ///   - refusals: the rows for which tables are stopped.
  ///   - isDecided: whether a transaction, by its number, is in the copy; nil if the store has the rows.
  package func take(
    _ copies: [(table: UInt32, reader: any RowReader)], _ refusals: [RefusedRow],
    isDecided: ((UInt64) -> Bool)?
  ) async throws {
    var refused = refused.copied(refusals)
    let copied = copies.filter { !refused.isStopped($0.table) }
    if let isDecided { try await engine.apply(copyOf: copied.map(\.reader), isDecided: isDecided) }
    for (table, reader) in copied { refused.take(table, reader) }
    self.refused = refused
    reportRefused()
  }

  /// Keeps the tables from being truncated, rewritten and renamed until they are copied. The first two leave nothing for
  /// older snapshots, and a table is copied by its name, which must not have become that of another, or of a view.
  ///
  /// - Returns: whether they are as in the snapshot.
  private func lock(_ tables: [PublishedTable], _ sql: PostgresConnection) async throws -> Bool {
    if tables.isEmpty { return true }
    let names = tables.map { "\($0.isPartitioned ? "" : "ONLY ")\($0.name.sql)" }.joined(separator: ", ")
    _ = try await sql.execute("LOCK TABLE \(names) IN ACCESS SHARE MODE")
    // Rows of the catalog are those of the snapshot; functions answer for this moment. What is locked is what had the names
    // a moment ago. A table that is locked keeps its name.
    let checked = tables.map { ($0.id, $0.name) } + tables.flatMap { $0.parts.map { ($0.id, $0.name) } }
    let changed = try await sql.query(
      """
      SELECT 1 FROM unnest($1::oid[], $2::text[]) t(id, name) LEFT JOIN pg_catalog.pg_class c ON c.oid = t.id
      WHERE to_regclass(t.name)::oid IS DISTINCT FROM t.id
        OR c.relfilenode <> 0 AND c.relfilenode IS DISTINCT FROM pg_relation_filenode(t.id)
        OR t.id NOT IN (SELECT l.relation FROM pg_catalog.pg_locks l
          WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation')
      LIMIT 1
      """,
      [
        "{\(checked.map { "\($0.0)" }.joined(separator: ","))}",
        try SQLParameter.array(checked.map { .text($0.1.sql) }).text,
      ])
    return changed.rowCount == 0
  }

  private func loadTypes(_ sql: PostgresConnection) async throws {
    let result = try await sql.query(TypeCatalog.query)
    types = try TypeCatalog(
      rows: (0..<result.rowCount).map { row in (0..<result.columnCount).map { result[row, $0] } })
  }

  /// Reads the types again.
  func loadTypes() async throws { try await loadTypes(try await catalog.connection()) }

  private func stage(
    _ table: PublishedTable, _ followed: any ReplicatedTable, _ reader: any RowReader, _ layout: RowLayout,
    _ sql: PostgresConnection, _ first: FirstCopy?, _ progress: inout CopyProgress
  ) async throws {
    let isBinary = layout.isBinarySafe
    let before = progress.rows
    for statement in table.copyStatements(isBinary: isBinary) {
      try await sql.copyOut(statement)
      let staging = try StagedCopy(reader, table, isBinary: isBinary) { try followed.makeReader(layout) }
      report(progress)
      do {
        while let chunk = try await sql.copyChunk() {
          progress.rows = before + (try await staging.append(chunk.bytes))
          try first?.check()
          report(progress)
        }
        progress.rows = before + (try await staging.finish())
      } catch let error as PostgresError where error.isRefusal {
        try first?.check()
        // What is left is read, as the snapshot serves the other tables, too.
        if first == nil, sql.mode == .copying { while try await sql.copyChunk() != nil {} }
        throw refused(table.id, staging.lastRefused, error)
      }
      report(progress)
    }
  }

  private func report(_ progress: CopyProgress) {
    var progress = progress
    progress.estimatedRows = max(progress.estimatedRows, progress.rows)
    engine.set(.copying(progress))
    onProgress?(progress)
  }

  /// The transactions of optimistic edits whose effect is in the snapshot.
  private func decidedTransactions(_ sql: PostgresConnection) async throws -> Set<UInt64> {
    let edits = engine.overlay.withLock { $0.transactions }
    if edits.isEmpty { return [] }
    let result = try await sql.query(
      "SELECT x FROM unnest($1::text[]) x WHERE pg_visible_in_snapshot(x::xid8, pg_current_snapshot())",
      ["{\(edits.map(String.init).joined(separator: ","))}"])
    return Set((0..<result.rowCount).compactMap { result[$0, 0].flatMap { UInt64($0) } })
  }
}
