import LiveStore
import Synchronization
import TestSupport

/// Ends a stress test when its time is over. What runs until then does a round at least, however slow the
/// machine is.
final class Deadline: Sendable {
  private let end: ContinuousClock.Instant
  init(share: Double) {
    let least = Environment.isThorough ? 0.2 : 0.05
    end = .now.advanced(by: .seconds(max(least, Environment.stressSeconds * share)))
  }
  var isOver: Bool { ContinuousClock.now >= end }
}

/// Something that has happened or not, set from any thread.
final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}

/// What must not happen, noted from any thread.
final class Failures: Sendable {
  private let lines = Mutex<[String]>([])
  func check(_ condition: Bool, _ line: @autoclosure () -> String) {
    guard !condition else { return }
    let line = line()
    lines.withLock { if $0.count < 20 { $0.append(line) } }
  }
  var all: [String] { lines.withLock { $0 } }
}

/// The ways to write.
enum WriteMode: CaseIterable, Sendable {
  case sync, async, optimistic
}

/// Makes one transaction after another, all in one way to write, while a condition holds; once at least.
///
/// - Returns: what the bodies of the transactions that were kept returned, without nil, in their order.
func writeRepeatedly<Value: Sendable>(
  _ store: Store, _ mode: WriteMode, seed: UInt64, while goesOn: @escaping @Sendable () -> Bool,
  _ body: @escaping @Sendable (borrowing WriteTransaction, inout SplitMix64) throws -> Value?
) async throws -> [Value] {
  if mode == .sync {
    return try await Worker {
      var random = SplitMix64(seed: seed)
      var kept: [Value] = []
      repeat {
        if let value = try store.write(origin: "sync", { tx in try body(tx, &random) }) { kept.append(value) }
      } while goesOn()
      return kept
    }.value()
  }
  var random = SplitMix64(seed: seed)
  var kept: [Value] = []
  repeat {
    do {
      let value =
        if mode == .async {
          try await store.write { tx in try body(tx, &random) }
        } else {
          try await store.transaction(origin: "optimistic") { tx in
            let value = try body(tx, &random)
            await Task.yield()
            return value
          }
        }
      if let value { kept.append(value) }
    } catch StoreError.conflict where mode == .optimistic {
      // Others came first, each time.
    }
    await Task.yield()
  } while goesOn()
  return kept
}
