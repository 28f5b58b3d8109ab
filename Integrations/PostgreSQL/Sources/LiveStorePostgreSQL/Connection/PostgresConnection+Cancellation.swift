import CPostgreSQL
import Dispatch
import LiveStore
import Synchronization

extension PostgresConnection {
  /// Cancels the statement that is running, and reads what the server still sends for it.
  ///
  /// It closes the connection if the server does not answer within five seconds. The task may be cancelled
  /// itself.
  func cancelStatement(_ pointer: OpaquePointer) async {
    let deadline = ContinuousClock.now + .seconds(5)
    // The request must have been delivered before another statement is sent, as it would cancel that.
    guard await requestCancellation(until: deadline) else { return finish() }
    do {
      try await flush(pointer, isCancellable: false, until: deadline)
      try await discardResults(pointer, until: deadline)
    } catch {
      finish()
    }
  }

  /// Asks the server to cancel what this connection runs, over a connection of its own.
  ///
  /// - Returns: whether the server took the request.
  private func requestCancellation(until deadline: ContinuousClock.Instant) async -> Bool {
    guard let pointer, let request = PQgetCancel(pointer) else { return false }
    let cancellation = Cancellation(raw: request)
    let result = ResultBox<Bool>()
    let outcome = await monitor.wait(until: deadline, isCancellable: false) { id in
      queue.async { [monitor] in
        var reason = [CChar](repeating: 0, count: 256)
        let isDelivered = PQcancel(cancellation.raw, &reason, Int32(reason.count)) == 1
        PQfreeCancel(cancellation.raw)
        result.value.withLock { $0 = isDelivered }
        monitor.complete(id)
      }
    }
    return outcome == .ready && result.value.withLock { $0 == true }
  }

  /// Reads and drops results, also the data of a copy, until the connection is idle.
  private func discardResults(_ pointer: OpaquePointer, until deadline: ContinuousClock.Instant) async throws
  {
    while let result = try await nextResult(pointer, isCancellable: false, until: deadline) {
      switch PQresultStatus(result.pointer) {
      case PGRES_COPY_OUT: try await discardCopy(pointer, until: deadline)
      case PGRES_COPY_IN, PGRES_COPY_BOTH:
        throw PostgresError(PostgresError.protocolViolation, "The server expects data.")
      default: continue
      }
    }
    mode = .idle
  }

  private func discardCopy(_ pointer: OpaquePointer, until deadline: ContinuousClock.Instant) async throws {
    while true {
      var bytes: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(pointer, &bytes, 1)
      PQfreemem(bytes)
      if count < 0 { return }
      if count > 0 { continue }
      guard try await wait(for: .read, pointer, until: deadline, isCancellable: false) else {
        throw PostgresError(PostgresError.timedOut, "The server did not end the copy in time.")
      }
      try consumeInput(pointer)
    }
  }
}

/// What libpq needs to cancel a statement.
///
/// Sendable without a check: the thread that cancels uses and frees it, and no other keeps it.
private struct Cancellation: @unchecked Sendable {
  let raw: OpaquePointer
}
