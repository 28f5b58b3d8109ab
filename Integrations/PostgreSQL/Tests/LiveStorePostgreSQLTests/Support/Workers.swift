import Synchronization
import PostgreSQLTestSupport
import Testing

/// Runs a history for each seed, several at once, and records those that fail.
///
/// - Parameters:
///   - count: how many workers there are.
///   - makePlace: makes what the histories of a worker have in common, one after another.
///   - history: runs a history; appends to the text what happened.
func runHistories<Place: Sendable>(
  _ seeds: [UInt64], workers count: Int, in makePlace: @escaping @Sendable () async throws -> Place,
  _ history: @escaping @Sendable (UInt64, Place, inout [String]) async throws -> Void,
  finally: @escaping @Sendable (Place) async throws -> Void
) async throws {
  let (next, failures) = (Shared(0), Shared(0))
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<min(count, seeds.count) {
      group.addTask {
        let place = try await makePlace()
        while true {
          let index = next.add(1)
          // After a few failures, more would say no more.
          guard index < seeds.count, failures.value < 5 else { break }
          var log: [String] = []
          do {
            try await history(seeds[index], place, &log)
          } catch {
            _ = failures.add(1)
            let text = log.suffix(60).map { String($0.prefix(300)) }.joined(separator: "\n")
            Issue.record("seed \(seeds[index]): \(error)\n\(text)")
          }
        }
        try await finally(place)
      }
    }
    try await group.waitForAll()
  }
}

/// A number that several tasks count with.
final class Shared: Sendable {
  private let number: Atomic<Int>

  init(_ value: Int) { number = Atomic(value) }

  var value: Int { number.load(ordering: .relaxed) }

  /// Adds to the number, and gives what it was.
  @discardableResult
  func add(_ count: Int) -> Int { number.add(count, ordering: .relaxed).oldValue }
}
