import Dispatch
import Foundation
import LiveStore
import Synchronization

/// A client of a server for tests: a connection on a thread of its own, so that it blocks none of the pool.
///
/// Statements run in the order in which they are asked for.
package final class SQLClient: Sendable {
  private typealias Job = @Sendable (SQLConnection) -> Void

  /// What waits for the thread, guarded by its mutex; nil ends the thread.
  private final class Queue: Sendable {
    let jobs = Mutex<[Job?]>([])
    let count = DispatchSemaphore(value: 0)

    func add(_ job: Job?) {
      jobs.withLock { $0.append(job) }
      count.signal()
    }

    func next() -> Job? {
      count.wait()
      return jobs.withLock { $0.removeFirst() }
    }
  }

  private let queue = Queue()

  /// Connects.
  ///
  /// - Throws: ``SQLError`` if there is no connection.
  package init(_ connectionString: String) async throws {
    let queue = queue
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        let connection: SQLConnection
        do {
          connection = try SQLConnection(connectionString)
        } catch {
          continuation.resume(throwing: error)
          return
        }
        continuation.resume()
        while let job = queue.next() { job(connection) }
      }
    }
  }

  deinit { queue.add(nil) }

  /// Runs a closure on the client's thread.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable (SQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
      queue.add { connection in continuation.resume(with: Result { try body(connection) }) }
    }
  }

  /// Runs one or more statements without parameters.
  ///
  /// - Returns: the result of the last.
  @discardableResult package func execute(_ sql: String) async throws -> SQLConnection.Result {
    try await run { try $0.execute(sql) }
  }

  /// Runs one statement with parameters `$1`, `$2` …
  @discardableResult package func query(
    _ sql: String, _ parameters: [String?]
  ) async throws -> SQLConnection.Result {
    try await run { try $0.query(sql, parameters) }
  }

  /// The first value of the first row.
  package func value(_ sql: String) async throws -> String? {
    try await execute(sql).rows.first?.first ?? nil
  }

  /// The position in the log after all that this client has committed.
  package func position() async throws -> String {
    try await value("SELECT pg_current_wal_flush_lsn()") ?? ""
  }
}
