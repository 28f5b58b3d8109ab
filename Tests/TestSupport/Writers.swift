package import LiveStore

/// A thread that is inside the body of a blocking write until it is asked to leave.
package final class Holder: Sendable {
  private let inside = Signal()
  private let leaving = Signal()
  private let worker: Worker<Void>

  package init(_ store: Store, _ write: @escaping @Sendable (borrowing WriteTransaction) throws -> Void) {
    worker = Worker { [inside, leaving] in
      try store.write { tx in
        inside.send()
        leaving.wait()
        try write(tx)
      }
    }
  }

  /// Suspends until the thread has the write lock.
  package func hasTurn() async { await inside.arrival() }

  /// Lets the body return.
  package func leave() { leaving.send() }

  /// Suspends until the write has returned.
  package func end() async throws { try await worker.value() }

  /// Lets the body return and blocks until the write has: the lock is free and the next has been woken.
  package func leaveAndJoin() throws {
    leave()
    try worker.join()
  }
}

/// An asynchronous writer whose every step is taken by the test.
///
/// Step 1 is asking for the write lock, step 2 is what it does when it is woken.
package final class SteppedWriter: Sendable {
  private let actor = ManualActor()
  package let task: Task<Void, any Error>

  package init(
    _ store: Store, _ write: @escaping @Sendable (inout WriteTransaction) throws -> Void
  ) {
    task = Task { [actor] in
      try await actor.run { _ in try await store.write(write) }
    }
  }

  /// Asks for the lock: when this returns, the writer is in its body's end or waits in the queue.
  package func ask() async { await actor.executor.run(1) }

  /// Waits to be woken for the given time, from 1, and runs until it suspends or ends.
  package func wake(_ number: Int = 1) async { await actor.executor.run(number + 1) }

  /// Whether it was woken and has not started.
  package var isWoken: Bool { actor.executor.waiting > 0 }
}
