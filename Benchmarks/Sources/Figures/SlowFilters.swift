import Foundation
import LiveStore
import Synchronization

/// When which observers were called.
private final class Times: Sendable {
  let seen = Mutex<[(isSlow: Bool, at: ContinuousClock.Instant)]>([])
}

extension Figures {
  /// A commit that concerns a hundred live queries with a filter of a millisecond each, and one without: when their
  /// observers get it.
  static func slowFilters() async throws {
    let store = try await filled(100)
    let clock = ContinuousClock()
    let times = Times()
    var tokens: [NotificationToken] = []
    let queue = DispatchQueue(label: "handlers")
    func observe(_ query: Query<Row>, isSlow: Bool) async throws {
      tokens.append(
        store.observe(queue: queue, query, initial: .skip) { _ in
          times.seen.withLock { $0.append((isSlow, clock.now)) }
        })
    }
    for number in 0..<100 {
      let query = Row.filter { (row: Row) in
        spin(.milliseconds(1), clock)
        return row.rank >= 0 && number >= 0
      }
      try await observe(query, isSlow: true)
    }
    try await observe(Row.where { $0.rank >= 0 }, isSlow: false)
    try await store.settled()
    var (other, first, last, bare): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for round in 0..<10 {
      bare.append(await hops(handledOn: queue, clock))
      times.seen.withLock { $0 = [] }
      let start = clock.now
      try await store.write { tx in try tx.update(Row.self, round) { $0.flag += 2 } }
      try await store.settled()
      let seen = times.seen.withLock { $0 }.map { ($0.isSlow, ($0.at - start) / .milliseconds(1)) }
      precondition(seen.count == 101)
      let slow = seen.filter(\.0).map(\.1)
      other.append(seen.filter { !$0.0 }.map(\.1).min() ?? 0)
      first.append(slow.min() ?? 0)
      last.append(slow.max() ?? 0)
    }
    func median(_ values: [Double]) -> String { String(format: "%.2f ms", values.sorted()[values.count / 2]) }
    print(
      "slow filters: 100 of 2 ms each; the observer of another query has a commit after \(median(other)) (the same hops between threads without a store: \(median(bare))), the first of them after \(median(first)), the last after \(median(last))"
    )
    withExtendedLifetime(tokens) {}
  }

  /// How long the hops from a writer to a handler take without a store, while another thread keeps a core busy: to a
  /// queue, from it to a task, from it to the handler's queue.
  private static func hops(handledOn handlers: DispatchQueue, _ clock: ContinuousClock) async -> Double {
    let (busy, upkeep) = (DispatchQueue(label: "busy"), DispatchQueue(label: "upkeep"))
    busy.async { spin(.milliseconds(20), clock) }
    spin(.milliseconds(1), clock)
    let start = clock.now
    let end = await withCheckedContinuation { (continuation: CheckedContinuation<_, Never>) in
      upkeep.async {
        Task.detached { handlers.async { continuation.resume(returning: clock.now) } }
      }
    }
    await withCheckedContinuation { continuation in busy.async { continuation.resume() } }
    return (end - start) / .milliseconds(1)
  }

  /// Keeps a core busy.
  private static func spin(_ duration: Duration, _ clock: ContinuousClock) {
    let end = clock.now.advanced(by: duration)
    while clock.now < end {}
  }
}
