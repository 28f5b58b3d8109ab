import Foundation
import Synchronization

/// The writers' turn: one at a time, in the order they came.
///
/// The turn belongs to a writer only once it runs. A blocked thread and a suspended task wait in one queue;
/// when the turn becomes free the first in the queue is woken, and if that is a task, the first blocked
/// thread behind it as well: whichever runs first claims it. Handing the turn to a task that waits for a
/// thread would deadlock when the blocked writers occupy all threads it could run on. A task that was
/// passed keeps its place.
///
/// Nor is a task passed without end, as by a thread that writes in a loop: when 16 have passed the first in
/// the queue, the next thread gives way, leaving a free turn to it for a grace of 10 ms. A task that could
/// run claims it; if it cannot run, the thread goes on, and the next grace comes after twice as many passes. So no
/// thread waits for ever, and *n* writes beside a task that cannot run wait log *n* times, not *n*.
///
/// State, guarded by the mutex: who holds the turn, on which thread, and the queue.
final class WriterGate: Sendable {
  fileprivate struct State {
    var isHeld = false
    /// The thread whose body runs, by which a write inside a write is recognised.
    var thread: UInt = 0
    var nextTicket: UInt64 = 0
    var queue: [Waiter] = []
  }

  fileprivate struct Waiter {
    let ticket: UInt64
    var kind: Kind
    /// How many threads have passed this task, and how many may before one gives way.
    var passes = 0
    var patience = 16

    enum Kind {
      case thread(DispatchSemaphore)
      /// A task that has not suspended yet or was woken: it will look again by itself.
      case task(isWoken: Bool)
      case suspended(CheckedContinuation<Void, any Error>)
    }
  }

  /// What to do after leaving the lock.
  fileprivate enum Wake {
    case thread(DispatchSemaphore)
    case task(CheckedContinuation<Void, any Error>)
  }

  enum Claim {
    case claimed
    case wait(UInt64)
    case nested
  }

  /// What a thread does next.
  fileprivate enum Step {
    case claimed
    case nested
    /// Until it is woken.
    case wait
    /// Until it is woken, or the grace is over.
    case giveWay
  }

  private let state = Mutex(State())
  private let grace: Duration

  /// - Parameter grace: how long a thread leaves a free turn to a task that many have passed.
  init(grace: Duration = .milliseconds(10)) { self.grace = grace }

  private static var currentThread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Waits for the turn on this thread; false when this thread has it already.
  func claimBlocking() -> Bool {
    let thread = Self.currentThread
    let semaphore = DispatchSemaphore(value: 0)
    var ticket: UInt64?
    var graceEnd: DispatchTime?
    var isGraceOver = false
    while true {
      let step = state.withLock { state in
        let step = state.step(of: thread, ticket, isGraceOver: isGraceOver)
        switch step {
        case .claimed, .nested: break
        case .wait, .giveWay: ticket = ticket ?? state.enqueue(.thread(semaphore))
        }
        return step
      }
      switch step {
      case .claimed: return true
      case .nested: return false
      case .wait: semaphore.wait()
      case .giveWay:
        let end = graceEnd ?? .now() + .nanoseconds(Int(grace / .nanoseconds(1)))
        graceEnd = end
        isGraceOver = semaphore.wait(timeout: end) == .timedOut
      }
    }
  }

  /// Claims the turn for the calling task if it is free and nobody is before it; to be followed by the body
  /// with no suspension between.
  ///
  /// - Parameter ticket: the place in the queue that an earlier try was given.
  func claim(_ ticket: UInt64?) -> Claim {
    let thread = Self.currentThread
    return state.withLock { state in
      if state.isHeld && state.thread == thread { return .nested }
      if !state.isHeld && (state.queue.first.map { $0.ticket == ticket } ?? true) {
        if !state.queue.isEmpty { state.queue.removeFirst() }
        state.claim(thread)
        return .claimed
      }
      if let ticket {
        state.set(.task(isWoken: false), for: ticket)
        return .wait(ticket)
      }
      return .wait(state.enqueue(.task(isWoken: false)))
    }
  }

  /// Suspends until it is worth trying again.
  ///
  /// - Throws: `CancellationError`, and then the place in the queue is given up.
  nonisolated(nonsending) func wait(_ ticket: UInt64) async throws {
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let isReady = state.withLock { state in
            // Read under the mutex: a cancellation from here on finds the continuation.
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

  func release() {
    perform(
      state.withLock { state in
        state.isHeld = false
        state.thread = 0
        return state.wakes()
      })
  }

  /// Gives up a place in the queue, and passes on the turn if it was offered to it.
  private func leave(_ ticket: UInt64) {
    perform(
      state.withLock { state in
        state.queue.removeAll { $0.ticket == ticket }
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

extension WriterGate.Waiter {
  var isThread: Bool {
    if case .thread = kind { true } else { false }
  }
}

extension WriterGate.State {
  /// Claims the turn for a thread if that is what it does next.
  ///
  /// - Parameter ticket: its place in the queue, if it has one.
  mutating func step(of thread: UInt, _ ticket: UInt64?, isGraceOver: Bool) -> WriterGate.Step {
    if isHeld && self.thread == thread { return .nested }
    // Threads do not pass threads.
    if isHeld || queue.first(where: \.isThread)?.ticket != ticket { return .wait }
    if let first = queue.first, !first.isThread {
      if first.passes >= first.patience {
        if !isGraceOver { return .giveWay }
        queue[0].patience *= 2
      }
      queue[0].passes += 1
    }
    queue.removeAll { $0.ticket == ticket }
    claim(thread)
    return .claimed
  }

  mutating func claim(_ thread: UInt) {
    isHeld = true
    self.thread = thread
  }

  mutating func enqueue(_ kind: WriterGate.Waiter.Kind) -> UInt64 {
    nextTicket += 1
    queue.append(WriterGate.Waiter(ticket: nextTicket, kind: kind))
    return nextTicket
  }

  mutating func set(_ kind: WriterGate.Waiter.Kind, for ticket: UInt64) {
    guard let index = queue.firstIndex(where: { $0.ticket == ticket }) else { return }
    queue[index].kind = kind
  }

  /// Whether the task of this place should try again rather than suspend.
  func isReady(_ ticket: UInt64) -> Bool {
    guard let waiter = queue.first(where: { $0.ticket == ticket }) else { return true }
    if case .task(isWoken: true) = waiter.kind { return true }
    return !isHeld && queue[0].ticket == ticket
  }

  mutating func takeContinuation(of ticket: UInt64) -> CheckedContinuation<Void, any Error>? {
    guard let waiter = queue.first(where: { $0.ticket == ticket }),
      case .suspended(let continuation) = waiter.kind
    else { return nil }
    set(.task(isWoken: true), for: ticket)
    return continuation
  }

  /// The turn is free: the first in the queue, and the first thread if a task is before it.
  mutating func wakes() -> [WriterGate.Wake] {
    var wakes: [WriterGate.Wake] = []
    if let first = queue.first {
      switch first.kind {
      case .thread: break
      case .task: set(.task(isWoken: true), for: first.ticket)
      case .suspended(let continuation):
        set(.task(isWoken: true), for: first.ticket)
        wakes.append(.task(continuation))
      }
    }
    for waiter in queue {
      if case .thread(let semaphore) = waiter.kind {
        wakes.append(.thread(semaphore))
        break
      }
    }
    return wakes
  }
}
