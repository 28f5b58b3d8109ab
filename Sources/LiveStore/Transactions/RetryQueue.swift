import Synchronization

/// The queues of refused optimistic transactions: those that depend on one object run again one after
/// another, in the order of their arrival.
///
/// Each run of a transaction ends in a commit or is refused since another one has committed. So of *n* transactions of
/// one object that run side by side, each round commits one: *n* rounds, and *n*²/2 runs. In a queue each runs once in vain
/// and then once without a competitor: 2*n* runs (T8).
///
/// While the first in a queue runs, other optimistic transactions that have written the same object wait with
/// their commits behind it. Commits of other objects do not wait, and neither does any `write`.
///
/// The write lock cannot be held for the first instead: a body may suspend, and while it is suspended no writer may wait
/// for it without bound (W3). For the same reason, each waits in a queue for a limited time, after which it goes on as if
/// it were first: a body may wait for another transaction, which waits behind it.
///
/// State: the queues, guarded by the mutex, under which no other code runs.
package final class RetryQueue: Sendable {
  /// The reason why a transaction was refused.
  enum Contended: Hashable {
    /// An object, or its absence, by the hash of its id.
    case object(table: Int, idHash: UInt64)
    /// The result of a query.
    case table(Int)
    /// The version of the commit.
    case store
  }

  /// A place in the queue of a contended object, result or version.
  struct Position {
    let contended: Contended
    let ticket: UInt64
  }

  fileprivate enum Phase {
    case running
    /// Woken before it was suspended.
    case woken
    case suspended(CheckedContinuation<Void, Never>)
  }

  fileprivate struct State {
    var queues: [Contended: TicketQueue<Phase>] = [:]
    var nextTicket: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The share of the limit that does not depend on how long a body runs.
  static let minimumLimit = Duration.milliseconds(10)

  /// How many transactions wait or run again.
  package var count: Int { state.withLock { $0.queues.values.reduce(0) { $0 + $1.count } } }

  /// Enters a queue at its end.
  ///
  /// - Parameter position: the position held before, which is kept if it is in the same queue, and left otherwise.
  func enter(_ contended: Contended, leaving position: Position?) -> Position {
    if let position {
      if position.contended == contended { return position }
      leave(position)
    }
    return state.withLock { state in
      state.nextTicket += 1
      state.queues[contended, default: TicketQueue()].append(.running, ticket: state.nextTicket)
      return Position(contended: contended, ticket: state.nextTicket)
    }
  }

  /// Leaves a queue, whose next transaction is then the first.
  func leave(_ position: Position) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard var queue = state.queues.removeValue(forKey: position.contended) else { return nil }
      queue.remove(position.ticket)
      let woken = queue.first.flatMap { first in queue.wake(first.ticket) }
      if queue.count > 0 { state.queues[position.contended] = queue }
      return woken
    }
    continuation?.resume()
  }

  /// How many are before a position.
  func countBefore(_ position: Position) -> Int {
    state.withLock { $0.queues[position.contended]?.count(before: position.ticket) ?? 0 }
  }

  /// The oldest queue whose first transaction depends on something that another one has written.
  func queue(before position: Position?, whoseObject isWritten: (Contended) -> Bool) -> Contended? {
    let queues = state.withLock { state in
      state.queues.compactMap { contended, queue -> Position? in
        guard let first = queue.firstTicket, first != position?.ticket else { return nil }
        return Position(contended: contended, ticket: first)
      }
    }
    // By age, not in the order of a dictionary: a simulation repeats itself in another process (L15).
    return queues.filter { isWritten($0.contended) }.min { $0.ticket < $1.ticket }?.contended
  }

  /// Suspends until a position is the first, the limit has passed, or the task is cancelled.
  nonisolated(nonsending) func wait(_ position: Position, until limit: ContinuousClock.Instant?) async {
    let isFirst = state.withLock { state in
      state.queues[position.contended]?[position.ticket] = .running
      return state.queues[position.contended]?.firstTicket == position.ticket
    }
    if isFirst { return }
    let timer = limit.map { limit in
      Task.detached { [self] in
        try await Task.sleep(until: limit, clock: .continuous)
        wake(position)
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          // Checked under the mutex: a later cancellation finds the continuation.
          if Task.isCancelled || state.isReady(position) { return true }
          state.queues[position.contended]?[position.ticket] = .suspended(continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      wake(position)
    }
    timer?.cancel()
  }

  private func wake(_ position: Position) {
    state.withLock { $0.queues[position.contended]?.wake(position.ticket) }?.resume()
  }
}

extension RetryQueue.State {
  /// Whether a position need not wait.
  fileprivate func isReady(_ position: RetryQueue.Position) -> Bool {
    guard let queue = queues[position.contended] else { return true }
    if case .woken = queue[position.ticket] { return true }
    return queue.firstTicket == position.ticket
  }
}

extension TicketQueue<RetryQueue.Phase> {
  /// Lets a transaction continue; returns its continuation, if it is suspended.
  fileprivate mutating func wake(_ ticket: UInt64) -> CheckedContinuation<Void, Never>? {
    let phase = self[ticket]
    self[ticket] = .woken
    if case .suspended(let continuation) = phase { return continuation }
    return nil
  }
}

extension TransactionState {
  /// Whether the transaction has written the object or result that another one was refused for.
  ///
  /// - Complexity: O(log *n*).
  func hasWritten(_ contended: RetryQueue.Contended) -> Bool {
    switch contended {
    case .object(let table, let hash):
      let (before, after) = (base.tables[table].ids.row(of: hash), tables[table].ids.row(of: hash))
      return before != after || after != 0 && tables[table].rows.floor(after)?.key.second == version.number
    case .table(let table): return !tables[table].rows.isIdentical(to: base.tables[table].rows)
    case .store: return tables.indices.contains { hasWritten(.table($0)) }
    }
  }
}
