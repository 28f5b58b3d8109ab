// The write lock.
//
// The write lock (`Transactions/WriteLock.swift`: threads in `claimBlocking`, tasks in `claim` and `wait`)
// belongs to a writer only once it runs. Blocked threads and suspended tasks wait in one queue, stored as
// two with common tickets, so each step is O(log n) for n waiters. When the lock is released, the first in
// the queue is woken and, if that is a task, the first blocked thread as well; whichever runs first claims
// it. Handing the lock over instead would deadlock: the task may wait for a thread that a blocked writer
// occupies. An overtaken task keeps its queue position.
//
// - **W1** At most one writer holds the lock, and its body runs on the thread that claimed it, with no
//   suspension in between. The thread is read within the claim, and not by `pthread_self()`: that is
//   declared to be constant, so an optimised asynchronous function may read it before a suspension and use
//   the result after it, on another thread.
// - **W2** While the lock is free and the queue is not empty, some waiter has been woken and has not run
//   yet.
// - **W3** No writer waits for a task that was merely woken, except tasks behind it, and threads for a
//   bounded time (W4).
// - **W4** A thread that finds the lock free overtakes the task before it, up to the overtaking limit of
//   16. The next thread yields: it leaves the lock free for 10 ms, in which the task claims it if it can
//   run at all. Otherwise the thread overtakes it, and the next yield comes after twice as many. So a loop
//   of writes starves no task, and yields only log *n* times in *n* writes beside a task whose threads are
//   all blocked.

import Foundation
import Synchronization

/// The write lock: one writer at a time, in the order of their arrival.
///
/// A writer holds the lock only once it runs. Blocked threads and suspended tasks wait in one queue. When the lock is
/// released, the first in the queue is woken and, if that is a task, the first blocked thread as well. Whichever runs
/// first claims the lock. Handing the lock to a task that waits for a thread would deadlock when blocked writers
/// occupy all threads (W3). An overtaken task keeps its queue position.
///
/// The overtaking limit protects a task from a thread that writes in a loop: when 16 threads have overtaken the first
/// task, the next thread yields and leaves the lock free for 10 ms. A task that can run claims it then. Otherwise the
/// thread overtakes it, and the next yield comes after twice as many. So no thread waits forever, and *n* writes
/// beside a task that cannot run yield log *n* times (W4).
///
/// The queue is stored as two, one of tasks and one of threads, with common tickets: the lower ticket is first. Every
/// step is O(log *n*) for *n* waiters.
///
/// State, guarded by the mutex: whether the lock is held, by which thread, and the queue.
package final class WriteLock: Sendable {
  fileprivate struct State {
    var isHeld = false
    /// The thread whose body runs, to detect a write inside a write.
    var thread: ObjectIdentifier?
    var nextTicket: UInt64 = 0
    var tasks = TicketQueue<WaitingTask>()
    var threads = TicketQueue<DispatchSemaphore>()
  }

  fileprivate struct WaitingTask {
    enum Phase {
      /// It has not suspended yet, or was woken: it will try again by itself.
      case running(isWoken: Bool)
      case suspended(CheckedContinuation<Void, any Error>)
    }

    var phase = Phase.running(isWoken: false)
    /// How many threads have overtaken this task, and how many may before one yields.
    var overtakes = 0
    var overtakingLimit = 16
  }

  /// What to do after the mutex is released.
  fileprivate enum Wake {
    case thread(DispatchSemaphore)
    case task(CheckedContinuation<Void, any Error>)
  }

  package enum Claim {
    case claimed
    case wait(UInt64)
    case nested
  }

  /// What a thread does next.
  fileprivate enum Step {
    case claimed
    case nested
    /// Waits until it is woken.
    case wait
    /// Waits until it is woken or the yield time is over.
    case yield
  }

  private let state = Mutex(State())
  private let yieldTime: Duration

  /// - Parameter yieldTime: how long a thread leaves the free lock to a task that has reached the overtaking limit.
  package init(yieldTime: Duration = .milliseconds(10)) { self.yieldTime = yieldTime }

  /// Not `pthread_self()`: C libraries declare its result constant, so optimised asynchronous code may reuse a result
  /// from before a suspension on another thread (W1).
  private static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

  /// Waits for the lock on this thread; false when this thread already holds it.
  package func claimBlocking() -> Bool {
    let thread = Self.currentThread
    var semaphore: DispatchSemaphore?
    var ticket: UInt64?
    var yieldEnd: DispatchTime?
    var hasYielded = false
    while true {
      let step = state.withLock { state in
        let step = state.step(of: thread, ticket, hasYielded: hasYielded)
        switch step {
        case .claimed, .nested: break
        case .wait, .yield:
          let waiting = semaphore ?? DispatchSemaphore(value: 0)
          semaphore = waiting
          ticket = ticket ?? state.enqueue(waiting)
        }
        return step
      }
      switch step {
      case .claimed: return true
      case .nested: return false
      case .wait: semaphore?.wait()
      case .yield:
        let end = yieldEnd ?? .now() + .nanoseconds(Int(yieldTime / .nanoseconds(1)))
        yieldEnd = end
        hasYielded = semaphore?.wait(timeout: end) == .timedOut
      }
    }
  }

  /// Claims the lock for the calling task if it is free and no other writer is first. The body follows without a
  /// suspension.
  ///
  /// - Parameter ticket: the queue position from an earlier attempt.
  package func claim(_ ticket: UInt64?) -> Claim {
    let thread = Self.currentThread
    return state.withLock { state in
      if state.isHeld && state.thread == thread {
        // The caller gives up. A position left behind would block all others.
        if let ticket { state.tasks.remove(ticket) }
        return .nested
      }
      if !state.isHeld && state.firstTicket == ticket {
        if let ticket { state.tasks.remove(ticket) }
        state.claim(thread)
        return .claimed
      }
      if let ticket {
        state.set(.running(isWoken: false), for: ticket)
        return .wait(ticket)
      }
      return .wait(state.enqueueTask())
    }
  }

  /// Suspends until another attempt is worthwhile.
  ///
  /// - Throws: `CancellationError`; the queue position is then released.
  package nonisolated(nonsending) func wait(_ ticket: UInt64) async throws {
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let isReady = state.withLock { state in
            // Checked under the mutex: a later cancellation finds the continuation.
            if Task.isCancelled || state.isReady(ticket) { return true }
            state.set(.suspended(continuation), for: ticket)
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        let continuation = state.withLock { $0.takeContinuation(of: ticket) }
        continuation?.resume(throwing: CancellationError())
      }
      try Task.checkCancellation()
    } catch {
      leave(ticket)
      throw error
    }
  }

  /// How many tasks wait for the lock.
  package var waitingTasks: Int { state.withLock { $0.tasks.count } }

  /// How many threads may overtake the first task that waits before one yields; nil if none waits.
  package var overtakingLimit: Int? { state.withLock { $0.tasks.first?.element.overtakingLimit } }

  package func release() {
    let wakes = state.withLock { state in
      state.isHeld = false
      state.thread = nil
      return state.isEmpty ? nil : state.wakes()
    }
    if let wakes { perform(wakes) }
  }

  /// Releases a queue position, and wakes the next writer if this one had been woken for the lock.
  private func leave(_ ticket: UInt64) {
    perform(
      state.withLock { state in
        state.tasks.remove(ticket)
        return state.isHeld ? [] : state.wakes()
      })
  }

  private func perform(_ wakes: [Wake]) {
    for wake in wakes {
      switch wake {
      case .thread(let semaphore): semaphore.signal()
      case .task(let continuation): continuation.resume()
      }
    }
  }
}

extension WriteLock.State {
  /// Whether no writer waits.
  var isEmpty: Bool { tasks.count == 0 && threads.count == 0 }

  /// The ticket of the first in the queue.
  var firstTicket: UInt64? {
    guard let task = tasks.firstTicket else { return threads.firstTicket }
    return threads.firstTicket.map { min($0, task) } ?? task
  }

  /// Claims the lock for a thread, if that is its next step.
  ///
  /// - Parameter ticket: its queue position, if it has one.
  mutating func step(of thread: ObjectIdentifier, _ ticket: UInt64?, hasYielded: Bool) -> WriteLock.Step {
    if isHeld && self.thread == thread { return .nested }
    // Threads do not overtake threads.
    if isHeld || threads.firstTicket != ticket { return .wait }
    if tasks.count > 0, !overtakeFirstTask(ticket, hasYielded: hasYielded) { return .yield }
    if let ticket { threads.remove(ticket) }
    claim(thread)
    return .claimed
  }

  /// Counts that a thread overtakes the first task, if that comes before it.
  ///
  /// - Returns: false if the thread has to yield first.
  private mutating func overtakeFirstTask(_ ticket: UInt64?, hasYielded: Bool) -> Bool {
    guard let first = tasks.first, first.ticket < ticket ?? .max else { return true }
    var task = first.element
    if task.overtakes >= task.overtakingLimit {
      if !hasYielded { return false }
      task.overtakingLimit *= 2
    }
    task.overtakes += 1
    tasks[first.ticket] = task
    return true
  }

  mutating func claim(_ thread: ObjectIdentifier) {
    isHeld = true
    self.thread = thread
  }

  mutating func enqueue(_ semaphore: DispatchSemaphore) -> UInt64 {
    nextTicket += 1
    threads.append(semaphore, ticket: nextTicket)
    return nextTicket
  }

  mutating func enqueueTask() -> UInt64 {
    nextTicket += 1
    tasks.append(WriteLock.WaitingTask(), ticket: nextTicket)
    return nextTicket
  }

  mutating func set(_ phase: WriteLock.WaitingTask.Phase, for ticket: UInt64) {
    tasks[ticket]?.phase = phase
  }

  /// Whether the task with this ticket should try again instead of suspending.
  func isReady(_ ticket: UInt64) -> Bool {
    guard let task = tasks[ticket] else { return true }
    if case .running(isWoken: true) = task.phase { return true }
    return !isHeld && firstTicket == ticket
  }

  mutating func takeContinuation(of ticket: UInt64) -> CheckedContinuation<Void, any Error>? {
    guard case .suspended(let continuation) = tasks[ticket]?.phase else { return nil }
    set(.running(isWoken: true), for: ticket)
    return continuation
  }

  /// What to wake when the lock is free: the first in the queue, and the first thread if a task is before
  /// it (W2).
  mutating func wakes() -> [WriteLock.Wake] {
    if isEmpty { return [] }
    var wakes: [WriteLock.Wake] = []
    if let task = tasks.first, task.ticket == firstTicket {
      if case .suspended(let continuation) = task.element.phase { wakes.append(.task(continuation)) }
      set(.running(isWoken: true), for: task.ticket)
    }
    if let thread = threads.first { wakes.append(.thread(thread.element)) }
    return wakes
  }
}
