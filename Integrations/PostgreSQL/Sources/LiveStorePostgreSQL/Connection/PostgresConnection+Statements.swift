import CPostgreSQL

extension PostgresConnection {
  /// Runs statements, separated by semicolons, or a replication command.
  ///
  /// Several statements without `BEGIN` are one transaction.
  ///
  /// - Parameters:
  ///   - deadline: when the connection is closed if the server has not answered.
  ///   - grace: if not nil, the task's cancellation neither prevents nor ends the statement; the connection
  ///     is closed if the server has not answered this long after the cancellation.
  /// - Returns: a result for each statement.
  package func execute(
    _ sql: String, until deadline: ContinuousClock.Instant? = nil,
    graceAfterCancellation grace: Duration? = nil
  ) async throws -> [QueryResult] {
    let pointer = try open(in: .idle)
    try Self.check(sql)
    if grace == nil { try Task.checkCancellation() }
    guard PQsendQuery(pointer, sql) == 1 else { throw PostgresError.lost(pointer) }
    return try await results(pointer, until: deadline, grace)
  }

  /// Runs one statement whose text has `$1`, `$2` … for the parameters.
  ///
  /// - Parameter parameters: the parameters as text; the server takes their types from the statement.
  package func query(
    _ sql: String, _ parameters: [String?] = [], until deadline: ContinuousClock.Instant? = nil
  ) async throws -> QueryResult {
    let pointer = try open(in: .idle)
    try Self.check(sql)
    for case let parameter? in parameters { try Self.check(parameter) }
    guard parameters.count <= Self.maxParameters else {
      throw PostgresError(
        PostgresError.mismatch,
        "A statement has at most \(Self.maxParameters) parameters, and this has \(parameters.count): use arrays."
      )
    }
    try Task.checkCancellation()
    let isSent = withCStrings(parameters) {
      PQsendQueryParams(pointer, sql, Int32(parameters.count), nil, $0, nil, nil, 0)
    }
    guard isSent == 1 else { throw PostgresError.lost(pointer) }
    guard let result = try await results(pointer, until: deadline, nil).last else {
      throw PostgresError(PostgresError.protocolViolation, "The server sent no result.")
    }
    return result
  }

  private static let maxParameters = 65_535

  /// C would end the text at a zero byte, and the server knows no such character.
  static func check(_ text: String) throws {
    guard text.utf8.contains(0) == false else {
      throw PostgresError(PostgresError.mismatch, "A text for PostgreSQL cannot have the character U+0000.")
    }
  }

  /// The results of all that was sent, after which the connection is idle.
  private func results(
    _ pointer: OpaquePointer, until deadline: ContinuousClock.Instant?, _ grace: Duration?
  ) async throws -> [QueryResult] {
    var results: [QueryResult] = []
    var failure: PostgresError?
    func collect(isCancellable: Bool, until deadline: ContinuousClock.Instant?) async throws {
      try await flush(pointer, isCancellable: isCancellable, until: deadline)
      while let result = try await nextResult(pointer, isCancellable: isCancellable, until: deadline) {
        switch PQresultStatus(result.pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: results.append(result)
        case PGRES_COPY_OUT, PGRES_COPY_IN, PGRES_COPY_BOTH:
          finish()
          throw PostgresError(PostgresError.protocolViolation, "COPY cannot be run as a statement.")
        default: failure = failure ?? PostgresError(result: result.pointer, of: pointer)
        }
      }
    }
    do {
      do {
        try await collect(isCancellable: true, until: deadline)
      } catch is CancellationError {
        guard let grace else {
          await cancelStatement(pointer)
          throw CancellationError()
        }
        try await collect(isCancellable: false, until: min(.now + grace, deadline ?? .now + grace))
      }
    } catch let error as PostgresError {
      // What the server said before it closed the connection is the reason.
      throw failure ?? error
    }
    if let failure { throw failure }
    guard PQstatus(pointer) == CONNECTION_OK else { throw PostgresError.lost(pointer) }
    return results
  }

  /// The next result; nil after the last.
  func nextResult(
    _ pointer: OpaquePointer, isCancellable: Bool, until deadline: ContinuousClock.Instant?
  ) async throws -> QueryResult? {
    mayHoldInput = true
    func timedOut() -> PostgresError {
      finish()
      return PostgresError(PostgresError.timedOut, "The server did not answer in time.")
    }
    // A server that sends one result after another is never waited for. A few that are there are taken, however late.
    unawaitedResults += 1
    if unawaitedResults > 64 {
      if isCancellable { try Task.checkCancellation() }
      if let deadline, deadline <= .now { throw timedOut() }
    }
    while PQisBusy(pointer) != 0 {
      // Data may be there: a look at the socket costs less than a wait.
      try consumeInput(pointer)
      if PQisBusy(pointer) == 0 { break }
      guard try await wait(for: .read, pointer, until: deadline, isCancellable: isCancellable) else {
        throw timedOut()
      }
      unawaitedResults = 0
      try consumeInput(pointer)
    }
    let result = PQgetResult(pointer).map(QueryResult.init)
    if result == nil { unawaitedResults = 0 }
    return result
  }

  /// Sends all that libpq holds back because the socket was full.
  func flush(
    _ pointer: OpaquePointer, isCancellable: Bool, until deadline: ContinuousClock.Instant?
  ) async throws {
    while true {
      switch PQflush(pointer) {
      case 0: return
      case 1:
        // The server may stop reading until what it has sent is read.
        guard try await wait(for: [.read, .write], pointer, until: deadline, isCancellable: isCancellable)
        else {
          finish()
          throw PostgresError(PostgresError.timedOut, "The server did not read what was sent in time.")
        }
        try consumeInput(pointer)
      default: throw PostgresError.lost(pointer)
      }
    }
  }
}
