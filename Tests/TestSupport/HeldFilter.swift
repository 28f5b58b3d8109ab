import Dispatch
import LiveStore
import Synchronization

/// Rows that a filter was tested for. The test of the first one blocks its thread, which may be one of the pool, until it
/// is released; so what releases it must not need the pool.
///
/// State: how many there were, and whether the next one is held, each guarded by its mutex.
package final class HeldFilter: Sendable {
  private let isBegun = Signal()
  private let isReleased = DispatchSemaphore(value: 0)
  private let tested = Mutex(0)
  private let isHeld: Mutex<Bool>

  package init(isHeld: Bool = true) { self.isHeld = Mutex(isHeld) }

  package var count: Int { tested.withLock { $0 } }

  package func hold() { isHeld.withLock { $0 = true } }

  /// Waits until a row is held, runs a closure on a thread of its own, and releases the row.
  ///
  /// - Returns: What the closure returns.
  package func whileHeld<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    let worker = Worker { [self] in
      isBegun.wait()
      defer { isReleased.signal() }
      return body()
    }
    return try await worker.value()
  }

  package func test() -> Bool {
    tested.withLock { $0 += 1 }
    let waits = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if waits {
      isBegun.send()
      isReleased.wait()
    }
    return true
  }
}
