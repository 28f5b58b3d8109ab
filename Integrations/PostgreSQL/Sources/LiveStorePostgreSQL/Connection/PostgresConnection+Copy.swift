import CPostgreSQL

extension PostgresConnection {
  /// Starts `COPY … TO STDOUT`, whose data `copyChunk` returns.
  func copyOut(_ sql: String) async throws {
    try await start(sql, PGRES_COPY_OUT, .copying)
  }

  /// Starts `START_REPLICATION`, whose messages `receive` returns.
  ///
  /// - Throws: `slotMissing` if the slot does not exist or was invalidated, `slotInUse` if another process
  ///   reads it.
  func startReplication(_ command: String) async throws {
    do {
      try await start(command, PGRES_COPY_BOTH, .replicating)
    } catch var error as PostgresError {
      // 42704: there is no such slot; 55000: it was invalidated; 58P01: its log is gone.
      guard let state = error.sqlState, ["42704", "55000", "58P01"].contains(state) else { throw error }
      error = PostgresError(PostgresError.slotMissing, error.message, sqlState: state)
      throw error
    }
  }

  private func start(_ sql: String, _ expected: ExecStatusType, _ next: Mode) async throws {
    let pointer = try open(in: .idle)
    try Self.check(sql)
    try Task.checkCancellation()
    guard PQsendQuery(pointer, sql) == 1 else { throw PostgresError.lost(pointer) }
    do {
      try await flush(pointer, isCancellable: true, until: nil)
      guard let result = try await nextResult(pointer, isCancellable: true, until: nil) else {
        throw PostgresError(PostgresError.protocolViolation, "The server sent no result.")
      }
      switch PQresultStatus(result.pointer) {
      case expected: (mode, hasReadAll) = (next, false)
      case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
        let error = PostgresError(result: result.pointer)
        do {
          while try await nextResult(pointer, isCancellable: false, until: nil) != nil {}
        } catch {}
        throw error
      default:
        finish()
        throw PostgresError(PostgresError.protocolViolation, "The statement is not the start of a copy.")
      }
    } catch is CancellationError {
      await cancelStatement(pointer)
      throw CancellationError()
    }
  }

  /// The next data of a copy: all that is there, and something, unless the copy is complete.
  ///
  /// A cancelled task cancels the copy at the server.
  ///
  /// - Returns: nil at the end, when the connection can be used further.
  func copyChunk() async throws -> MessageBatch? {
    let pointer = try open(in: .copying)
    var batch = MessageBatch(capacity: 1024, bytes: 1 << 16)
    do {
      while true {
        try Task.checkCancellation()
        guard try takeMessages(pointer, into: &batch, limit: 1024) else {
          try await end(pointer)
          return nil
        }
        guard batch.isEmpty else { return batch }
        _ = try await wait(for: .read, pointer)
        try consumeInput(pointer)
      }
    } catch is CancellationError {
      await cancelStatement(pointer)
      throw CancellationError()
    }
  }

  /// The messages of the stream that are there, at most 256.
  ///
  /// A cancelled task loses no message.
  ///
  /// - Returns: no message only if the deadline has passed.
  func receive(until deadline: ContinuousClock.Instant) async throws -> MessageBatch {
    let pointer = try open(in: .replicating)
    var batch = MessageBatch(capacity: 256, bytes: 1 << 14)
    while true {
      try Task.checkCancellation()
      guard try takeMessages(pointer, into: &batch, limit: 256) else {
        do {
          try await end(pointer)
        } catch let error as PostgresError where error.sqlState == "42704" {
          // The server looks for the publication when it decodes the first change.
          throw PostgresError(PostgresError.invalidPublication, error.message, sqlState: error.sqlState)
        }
        throw PostgresError(
          PostgresError.connectionFailed,
          "The server ended the replication stream, as it does when it shuts down.")
      }
      guard batch.isEmpty else { return batch }
      guard try await wait(for: .read, pointer, until: deadline) else { return batch }
      try consumeInput(pointer)
    }
  }

  /// Sends a message to the server within the replication stream.
  func send(_ bytes: [UInt8]) async throws {
    let pointer = try open(in: .replicating)
    while true {
      let outcome = bytes.withUnsafeBytes {
        PQputCopyData(pointer, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count))
      }
      switch outcome {
      case 1: return try await flush(pointer, isCancellable: true, until: nil)
      case 0:
        _ = try await wait(for: [.read, .write], pointer)
        try consumeInput(pointer)
      default: throw PostgresError.lost(pointer)
      }
    }
  }

  /// Appends messages to the batch, those that libpq holds and those in the socket, until the limit or until
  /// there are no more.
  ///
  /// Messages are taken before the socket is read again, so libpq's buffer does not grow.
  ///
  /// - Returns: false if there is none as the copy or the stream has ended.
  private func takeMessages(_ pointer: OpaquePointer, into batch: inout MessageBatch, limit: Int) throws
    -> Bool
  {
    if hasReadAll { return false }
    var hasRead = false
    while batch.count < limit && batch.bytes.count < 1 << 20 {
      var bytes: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(pointer, &bytes, 1)
      if count > 0, let bytes {
        batch.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        PQfreemem(bytes)
        hasRead = false
      } else if count == 0 {
        if hasRead { break }
        try consumeInput(pointer)
        hasRead = true
      } else if count == -1 {
        hasReadAll = true
        return !batch.isEmpty
      } else {
        // What came before is delivered first; the next call meets the error again.
        if batch.isEmpty { throw PostgresError.lost(pointer) }
        break
      }
    }
    return true
  }

  /// Reads the results that end a copy or a stream.
  private func end(_ pointer: OpaquePointer) async throws {
    var failure: PostgresError?
    do {
      while let result = try await nextResult(pointer, isCancellable: true, until: nil) {
        switch PQresultStatus(result.pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: continue
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
          // The server has ended its side of the stream and waits for ours.
          return finish()
        default: failure = failure ?? PostgresError(result: result.pointer)
        }
      }
    } catch let error as PostgresError {
      // What the server said before it closed the connection is the reason.
      throw failure ?? error
    }
    mode = .idle
    if let failure { throw failure }
    guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.lost(pointer) }
  }
}
