import CPostgreSQL

extension ConnectionPool {
  /// A transaction that was committed.
  package struct Commit: Sendable, Equatable {
    /// The transaction's number, as the replication stream has it; nil if it changed nothing.
    package let xid: UInt32?
    /// A position of the log that is not before the end of the transaction.
    package let lsn: LogSequenceNumber
  }

  /// Runs the closure in a transaction, which is committed when it returns and rolled back when it throws.
  ///
  /// A cancelled task cancels the statement that is running. The commit itself is not cancelled, so its
  /// outcome is known, unless the connection is lost while it runs, or the server does not answer for ten
  /// seconds after the cancellation: the error then says so.
  ///
  /// - Throws: what the closure throws; `serverError`, for example for a serialization failure (SQLSTATE
  ///   40001); errors of connecting.
  package func withTransaction<Result>(
    _ body: (SQLTransaction) async throws -> Result
  ) async throws -> (result: Result, commit: Commit) {
    try await withConnection(first: "BEGIN") { connection in
      let transaction = SQLTransaction(connection)
      let result: Result
      do {
        result = try await body(transaction)
        transaction.close()
        try Task.checkCancellation()
      } catch {
        transaction.close()
        if connection.transactionStatus != PQTRANS_IDLE { await rollBack(connection) }
        throw error
      }
      return (result, try await commit(connection, transaction))
    }
  }

  private func commit(_ connection: PostgresConnection, _ transaction: SQLTransaction) async throws -> Commit
  {
    if connection.transactionStatus != PQTRANS_INTRANS {
      // The closure has caught the error of a statement, or the transaction has ended by another.
      if connection.transactionStatus != PQTRANS_IDLE { await rollBack(connection) }
      throw transaction.failure ?? PostgresError(PostgresError.connectionFailed, "The connection was lost.")
    }
    let results: [QueryResult]
    do {
      results = try await connection.execute(Self.commitStatements, graceAfterCancellation: .seconds(10))
    } catch var error as PostgresError {
      if connection.transactionStatus == PQTRANS_INERROR { await rollBack(connection) }
      if !connection.isAlive {
        error.message += " Whether the transaction was committed is not known."
      }
      throw error
    }
    guard results.count == 3, let lsn = results[2][0, 0].flatMap({ LogSequenceNumber($0) }) else {
      throw PostgresError(
        PostgresError.protocolViolation, "The server did not say where the transaction ended.")
    }
    // The numbers of the stream are the low halves of those that never repeat.
    return Commit(
      xid: results[0][0, 0].flatMap { UInt64($0) }.map { UInt32(truncatingIfNeeded: $0) }, lsn: lsn)
  }

  // With schemas, as these are run with the search path of the role, where others may have made functions.
  private static let commitStatements = """
    SELECT pg_catalog.pg_current_xact_id_if_assigned(); COMMIT;
    SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
      ELSE pg_catalog.pg_current_wal_insert_lsn() END
    """

  /// Rolls back, also if the task is cancelled; if that fails, the connection is closed, which rolls back as
  /// well.
  private func rollBack(_ connection: PostgresConnection) async {
    do {
      _ = try await connection.execute("ROLLBACK", graceAfterCancellation: .seconds(5))
    } catch {
      connection.finish()
    }
  }
}
