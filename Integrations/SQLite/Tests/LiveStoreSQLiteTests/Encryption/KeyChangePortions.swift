import Foundation
import GRDB
import LiveStoreSQLite
import Synchronization
import SQLiteTestSupport

/// Changes of the key in small portions.
enum KeyChangePortions {
  /// Runs changes of the key.
  ///
  /// - Parameters:
  ///   - rows: how many rows are copied, or deleted, at a time; of the latter twice as many.
  ///   - then: called after each portion, with its number from 1, while the change waits.
  /// - Returns: how many portions there were.
  @discardableResult
  static func of(
    rows: Int, _ then: @escaping @Sendable (Int) async -> Void = { _ in }, _ body: () async throws -> Void
  ) async rethrows -> Int {
    let count = Counter()
    var size = KeyChangePortion()
    (size.rows, size.pages) = (rows, 2)
    size.then = { await then(count.next()) }
    try await KeyChangePortion.$size.withValue(size) { try await body() }
    return count.value
  }

  /// The tables of a file that are the library's own, but for the contents.
  static func tables(_ url: URL) throws -> [String] {
    let queue = try DatabaseQueue(path: url.path)
    defer { try? queue.close() }
    return try queue.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'livestore%' AND name != 'livestore_file'")
    }
  }
}

/// Counts in the order of the calls.
final class Counter: Sendable {
  private let number = Mutex(0)

  var value: Int { number.withLock { $0 } }

  @discardableResult
  func next() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }
}

/// A task that what it does can cancel.
final class CancellableTask: Sendable {
  private let task = Mutex<Task<Void, any Error>?>(nil)
  private let (isSet, setter) = AsyncStream.makeStream(of: Void.self)

  func cancel() { task.withLock { $0 }?.cancel() }

  /// Runs a body as the task.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { [isSet] in
      for await _ in isSet {}
      try await body()
    }
    self.task.withLock { $0 = task }
    setter.finish()
    try await task.value
  }
}
