/// The tasks that wait until a position of the server's log is in the store.
struct PositionWaiters {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Waiter {
    let id: UInt64
    let lsn: LogSequenceNumber
    let xid: UInt32?
    let continuation: Continuation
  }

  private var waiters: [Waiter] = []
  /// The newest transactions that were applied, so that one that was applied before it is waited for is known.
  private var recent: [UInt32] = []
  private var next = 0
  private static let recentCount = 1_024

  var count: Int { waiters.count }

  /// Whether a transaction is among the newest that were applied.
  func isApplied(_ xid: UInt32) -> Bool { recent.contains(xid) }

  /// Adds a task, which waits for a position, or for a transaction if that comes first.
  mutating func add(_ id: UInt64, _ lsn: LogSequenceNumber, _ xid: UInt32?, _ continuation: Continuation) {
    waiters.append(Waiter(id: id, lsn: lsn, xid: xid, continuation: continuation))
  }

  mutating func remove(_ id: UInt64) -> Continuation? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).continuation }
  }

  /// Forgets the transactions that were applied, as another server has others of the same numbers.
  mutating func forgetTransactions() { (recent, next) = ([], 0) }

  mutating func removeAll() -> [Continuation] {
    defer { waiters = [] }
    return waiters.map(\.continuation)
  }

  /// Takes out the tasks whose position was reached.
  mutating func reach(_ lsn: LogSequenceNumber, _ xid: UInt32? = nil) -> [Continuation] {
    if let xid {
      if recent.count < Self.recentCount {
        recent.append(xid)
      } else {
        recent[next] = xid
        next = (next + 1) % Self.recentCount
      }
    }
    if waiters.isEmpty { return [] }
    var reached: [Continuation] = []
    waiters.removeAll { waiter in
      let isReached = waiter.lsn <= lsn || (waiter.xid != nil && waiter.xid == xid)
      if isReached { reached.append(waiter.continuation) }
      return isReached
    }
    return reached
  }
}
