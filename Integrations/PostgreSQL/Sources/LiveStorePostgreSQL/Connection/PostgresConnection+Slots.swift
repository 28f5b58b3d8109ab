extension PostgresConnection {
  /// Drops a replication slot, if there is one, also if a process that is about to end still reads it.
  ///
  /// - Throws: `slotInUse` if another process reads it.
  func dropSlot(_ name: String) async throws {
    let deadline = ContinuousClock.now + .seconds(5)
    while true {
      do {
        _ = try await query(
          """
          SELECT pg_catalog.pg_drop_replication_slot(slot_name) FROM pg_catalog.pg_replication_slots
          WHERE slot_name OPERATOR(pg_catalog.=) $1::pg_catalog.text
          """, [name])
        return
      } catch let error as PostgresError where error.sqlState == "55006" && ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      } catch let error as PostgresError where error.sqlState == "55006" {
        throw PostgresError(PostgresError.slotInUse, error.message, sqlState: error.sqlState)
      }
    }
  }
}
