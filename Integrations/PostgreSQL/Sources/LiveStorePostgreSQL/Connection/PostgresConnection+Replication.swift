import CPostgreSQL

extension PostgresConnection {
  /// Starts `START_REPLICATION`, whose messages `receive` returns.
  ///
  /// - Throws: `slotMissing` if the slot does not exist or was invalidated, `slotInUse` if another process
  ///   reads it.
  package func startReplication(_ command: String) async throws {
    do {
      try await start(command, PGRES_COPY_BOTH, .replicating)
    } catch let error as PostgresError {
      // 42704: there is no such slot; 55000: it was invalidated; 58P01: its log is gone.
      guard let state = error.sqlState, ["42704", "55000", "58P01"].contains(state) else { throw error }
      throw PostgresError(PostgresError.slotMissing, error.message, sqlState: state)
    }
  }

  /// Has the server end a stream whose client has been silent for about a time, if it would not by its settings: it would keep
  /// the slot of a process that hangs, or is cut off, and its log, for as long as it runs.
  package func limitSilence(to time: Duration, until deadline: ContinuousClock.Instant? = nil) async throws {
    let seconds = min(time, .seconds(86_400)).components.seconds + 1
    _ = try await execute(
      "SELECT set_config('wal_sender_timeout', '\(seconds)s', false) WHERE current_setting('wal_sender_timeout') = '0'",
      until: deadline)
  }

  /// The messages of the stream that are there, at most 256.
  ///
  /// At a high rate it lets messages come together for a millisecond. A cancelled task loses no message.
  ///
  /// - Returns: no message only if the deadline has passed.
  /// - Throws: `connectionFailed` also when the server ends the stream, as it does when it shuts down.
  package func receive(until deadline: ContinuousClock.Instant) async throws -> MessageBatch {
    let pointer = try open(in: .replicating)
    var reader = MessageReader(capacity: 256, bytes: 1 << 14, isAtEnd: hasReadAll)
    var (hasPaused, hasWaited) = (false, false)
    mayHoldInput = true
    while true {
      try Task.checkCancellation()
      try reader.take(pointer, limit: 256, bytes: 1 << 20)
      hasReadAll = reader.isAtEnd
      if hasPaused { rate.paused(reader.batch.count) }
      if !reader.batch.isEmpty {
        if hasWaited { rate.waited(until: .now) }
        return reader.batch
      }
      if reader.isAtEnd { throw try await endOfStream(pointer) }
      hasPaused = rate.isHigh
      hasWaited = !hasPaused
      if hasPaused {
        _ = await monitor.wait(for: [], of: -1, until: .now + MessageRate.pause)
        mayHoldInput = true
      } else {
        guard try await wait(for: .read, pointer, until: deadline) else { return reader.batch }
      }
    }
  }

  /// Sends a message to the server within the replication stream.
  ///
  /// - Parameter deadline: when the connection is closed if the server has not read the message.
  package func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant? = nil) async throws {
    let pointer = try open(in: .replicating)
    while true {
      let outcome = bytes.withUnsafeBytes {
        PQputCopyData(pointer, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
      }
      switch outcome {
      case 1: return try await flush(pointer, isCancellable: true, until: deadline)
      case 0: try await flush(pointer, isCancellable: true, until: deadline)
      default: throw PostgresError.lost(pointer)
      }
    }
  }

  /// Sends a message to the server within the replication stream, if the connection takes it without a wait. What it has not
  /// sent by then goes out with the next message.
  package func sendWithoutWaiting(_ bytes: [UInt8]) throws {
    let pointer = try open(in: .replicating)
    let outcome = bytes.withUnsafeBytes {
      PQputCopyData(pointer, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
    }
    if outcome < 0 || outcome > 0 && PQflush(pointer) < 0 { throw PostgresError.lost(pointer) }
  }

  /// Why the server ended the stream.
  private func endOfStream(_ pointer: OpaquePointer) async throws -> PostgresError {
    do {
      try await end(pointer)
    } catch let error as PostgresError where error.sqlState == "42704" {
      // The server looks for the publication when it decodes the first change.
      return PostgresError(PostgresError.invalidPublication, error.message, sqlState: error.sqlState)
    }
    return PostgresError(
      PostgresError.connectionFailed,
      "The server ended the replication stream, as it does when it shuts down.")
  }
}
