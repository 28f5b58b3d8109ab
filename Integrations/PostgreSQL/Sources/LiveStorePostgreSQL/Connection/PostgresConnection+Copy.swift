import CPostgreSQL
import Foundation
import LiveStore
import Synchronization

extension PostgresConnection {
  /// Starts `COPY … TO STDOUT`, whose data `copyChunk` returns.
  package func copyOut(_ sql: String) async throws {
    try await start(sql, PGRES_COPY_OUT, .copying)
  }

  /// Runs a statement after which the server sends messages.
  func start(_ sql: String, _ expected: ExecStatusType, _ next: Mode) async throws {
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
      case expected:
        (mode, hasReadAll) = (next, false)
      case PGRES_FATAL_ERROR:
        let error = PostgresError(result: result.pointer, of: pointer)
        // What follows is there already, but from a server that has lost its way.
        let deadline = ContinuousClock.now + .seconds(5)
        do {
          while try await nextResult(pointer, isCancellable: false, until: deadline) != nil {}
        } catch {}
        throw error
      default:
        finish()
        throw PostgresError(PostgresError.protocolViolation, "The statement starts no copy of this kind.")
      }
    } catch is CancellationError {
      await cancelStatement(pointer)
      throw CancellationError()
    }
  }

  /// The next data of a copy: about 256 KB, or what comes within 10 ms.
  ///
  /// A cancelled task cancels the copy at the server.
  ///
  /// - Returns: nil at the end, when the connection can be used further.
  package func copyChunk() async throws -> MessageBatch? {
    let pointer = try open(in: .copying)
    do {
      while true {
        try Task.checkCancellation()
        let reader = try await gather(pointer)
        mayHoldInput = true
        hasReadAll = reader.isAtEnd
        if !reader.batch.isEmpty { return reader.batch }
        if reader.isAtEnd {
          try await end(pointer)
          return nil
        }
        _ = try await wait(for: .read, pointer)
      }
    } catch is CancellationError {
      await cancelStatement(pointer)
      throw CancellationError()
    }
  }

  /// Reads on the queue's thread. The server sends 8 KB at a time; switching between the monitor's thread and
  /// the task's for each would cost more than the reading.
  private func gather(_ pointer: OpaquePointer) async throws -> MessageReader {
    let (connection, isAtEnd) = (ConnectionPointer(raw: pointer), hasReadAll)
    let result = ResultBox<Swift.Result<MessageReader, any Error>>()
    _ = await monitor.wait(until: nil, isCancellable: false) { id in
      queue.async { [monitor] in
        let gathered = Swift.Result { try Self.gather(connection, isAtEnd: isAtEnd) }
        result.value.withLock { $0 = gathered }
        monitor.complete(id)
      }
    }
    guard let reader = try result.value.withLock({ $0 })?.get() else { throw PostgresError.lost(pointer) }
    return reader
  }

  private static func gather(_ connection: ConnectionPointer, isAtEnd: Bool) throws -> MessageReader {
    let bytes = 1 << 18
    var reader = MessageReader(capacity: 4096, bytes: bytes + 1 << 14, isAtEnd: isAtEnd)
    let deadline = ContinuousClock.now + .milliseconds(10)
    while true {
      try reader.take(connection.raw, limit: .max, bytes: bytes)
      if reader.isAtEnd || reader.batch.bytes.count >= bytes || ContinuousClock.now >= deadline {
        return reader
      }
      var socket = pollfd(fd: PQsocket(connection.raw), events: Int16(POLLIN), revents: 0)
      if poll(&socket, 1, 10) <= 0 { return reader }
    }
  }

  /// Reads the results that end a copy or a stream.
  func end(_ pointer: OpaquePointer) async throws {
    var failure: PostgresError?
    do {
      while let result = try await nextResult(pointer, isCancellable: true, until: nil) {
        switch PQresultStatus(result.pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: continue
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
          // The server has ended its side of the stream and waits for the other end of it.
          return finish()
        default: failure = failure ?? PostgresError(result: result.pointer, of: pointer)
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
