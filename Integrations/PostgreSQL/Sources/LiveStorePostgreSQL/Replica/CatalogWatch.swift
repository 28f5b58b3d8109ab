/// Looks at the server's catalog beside the stream, on a connection of its own that is kept open. Used by one task.
final class CatalogWatch {
  private let connect: () async throws -> PostgresConnection
  private var open: PostgresConnection?

  init(_ connect: @escaping () async throws -> PostgresConnection) { self.connect = connect }

  /// The connection, which is idle.
  func connection() async throws -> PostgresConnection {
    if let open, open.isReusable { return open }
    open?.finish()
    open = nil
    let connection = try await connect()
    open = connection
    return connection
  }

  /// Closes the connection.
  func finish() {
    open?.finish()
    open = nil
  }

  /// What the server keeps for a replica.
  struct Log {
    /// The end of the server's log.
    let end: LogSequenceNumber
    /// How many bytes of it are kept for the slot.
    let retained: Int?
  }

  /// Reads how far the log is.
  ///
  /// - Parameter slot: a durable slot.
  func log(_ slot: String?, until deadline: ContinuousClock.Instant) async throws -> Log? {
    let result = try await connection().query(
      """
      SELECT l.lsn, (SELECT pg_wal_lsn_diff(l.lsn, s.restart_lsn)::bigint FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $1::text)
      FROM (SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn) l
      """, [slot], until: deadline)
    guard result.rowCount == 1, let end = result[0, 0].flatMap({ LogSequenceNumber($0) }) else { return nil }
    return Log(end: end, retained: result[0, 1].flatMap { Int($0) }.map { max(0, $0) })
  }
}
