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
    let slot = try await createSlot(
      connection, hasSlot ? temporary : source.slot.name ?? temporary,
      isTemporary: hasSlot || source.slot.name == nil)
    do {
      try await copy(snapshot: slot.snapshot)
    } catch {
      if !hasSlot, let name = source.slot.name {
        // Otherwise the server would keep its log for a slot that no replica reads.
        _ = try? await connection.execute(
          "DROP_REPLICATION_SLOT \(name.asIdentifier)", graceAfterCancellation: .seconds(5))
      }
      throw error
    }
    engine.update { $0.copies += 1 }
    if hasSlot, let name = source.slot.name {
      _ = try await connection.execute("DROP_REPLICATION_SLOT \(temporary.asIdentifier)")
      try await startReplication(connection, slot: name, from: slot.position)
    } else {
      try await startReplication(connection, slot: source.slot.name ?? temporary, from: slot.position)
    }
  }

  // MARK: Slots

  /// Looks for the durable slot of an earlier replica. One that can no longer be read is dropped.
  ///
  /// - Returns: whether there is one to be read.
  private func prepareDurableSlot() async throws -> Bool {
    guard let name = source.slot.name else { return false }
    let sql = try await connect()
    defer { sql.finish() }
    try await warnOfRetention(sql)
    let found = try await sql.query(
      """
      SELECT plugin, active, wal_status, database = current_database() FROM pg_catalog.pg_replication_slots
      WHERE slot_name = $1
      """, [name])
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
  private func copy(snapshot: String) async throws {
    let sql = try await connect()
    defer { sql.finish() }
    _ = try await sql.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    do {
      _ = try await sql.execute("SET TRANSACTION SNAPSHOT \(snapshot.asLiteral)")
    } catch let error as PostgresError where error.sqlState == "22023" {
      throw PostgresError(
        PostgresError.connectionFailed, "The replication connection was lost, and its snapshot with it.")
    }
    try await loadTypes(sql)
    let check = PublicationCheck(connection: sql, publication: source.publication) {
      try await self.connect()
    }
    let published = try await check.published(source.tables)
    let layouts = published.map { RowLayout($0.relation, types) }
    isBinary = layouts.allSatisfy(\.isBinarySafe)
    var progress = CopyProgress(
      table: "", rows: 0, estimatedRows: published.reduce(0) { $0 + $1.estimatedRows })
    var staged: [any RowReader] = []
    for (index, table) in published.enumerated() {
      let reader = try source.tables[index].makeReader(layouts[index])
      progress.table = "\(table.name)"
      try await stage(table, reader, layouts[index], sql, &progress)
      staged.append(reader)
    }
    let decided = try await decidedTransactions(sql)
    _ = try await sql.execute("COMMIT")
    try await engine.apply(copyOf: staged, isDecided: decided.contains)
  }

  private func loadTypes(_ sql: PostgresConnection) async throws {
    let result = try await sql.query(TypeCatalog.query)
    types = try TypeCatalog(
      rows: (0..<result.rowCount).map { row in (0..<result.columnCount).map { result[row, $0] } })
  }

  /// Reads the types again if a relation has some that are not known.
  func loadTypes(of relation: RelationMessage) async throws {
    if relation.columns.allSatisfy({ types.isKnown($0.typeID) }) { return }
    let sql = try await connect()
    defer { sql.finish() }
    try await loadTypes(sql)
  }

  private func stage(
    _ table: PublishedTable, _ reader: any RowReader, _ layout: RowLayout, _ sql: PostgresConnection,
    _ progress: inout CopyProgress
  ) async throws {
    let isBinary = layout.isBinarySafe
    let before = progress.rows
    try await sql.copyOut(table.copyStatement(isBinary: isBinary))
    let staging = StagedCopy(reader, table, isBinary: isBinary)
    report(progress)
    // A piece is decoded while the next one is read.
    var decoding: Task<Int, any Error>?
    defer { decoding?.cancel() }
    while let chunk = try await sql.copyChunk() {
      if let count = try await decoding?.value {
        progress.rows = before + count
        report(progress)
      }
      decoding = Task { try staging.append(chunk.bytes) }
    }
    _ = try await decoding?.value
    progress.rows = before + (try staging.finish())
    report(progress)
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
