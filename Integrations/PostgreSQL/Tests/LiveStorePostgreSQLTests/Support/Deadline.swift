import PostgreSQLTestSupport

/// Throws if something has not returned after some time.
///
/// - Parameter what: what is then said not to have happened.
func withDeadline<Value: Sendable>(
  _ what: String, seconds: Int = 60, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await ContinuousClock().sleep(for: .seconds(seconds))
      throw Mismatch("within \(seconds) seconds, not: \(what)")
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
