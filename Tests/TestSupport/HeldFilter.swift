import Dispatch
import Synchronization

/// Rows that a filter was tested for. The test of the first one blocks its thread, which may be one of the pool, until it
/// is released; so what releases it must not need the pool.
///
/// State: how many there were, and whether the next one is held, each guarded by its mutex.
package final class HeldFilter: Sendable {
  package let isBegun = Gate()
  private let isReleased = DispatchSemaphore(value: 0)
  private let tested = Mutex(0)
  private let isHeld: Mutex<Bool>

  package init(isHeld: Bool = true) { self.isHeld = Mutex(isHeld) }

  package var count: Int { tested.withLock { $0 } }

  package func hold() { isHeld.withLock { $0 = true } }
  package func release() {
    precondition(!isOnPool, "filters are released on the pool that they hold")
    isReleased.signal()
  }

  package func test() -> Bool {
    tested.withLock { $0 += 1 }
    let waits = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if waits {
      isBegun.open()
      isReleased.wait()
    }
    return true
  }
}
