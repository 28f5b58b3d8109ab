import Dispatch
import Foundation
import LiveStore
import Synchronization

/// A count that threads wait for; a plain semaphore under a name that says what it is for.
///
/// `wait()` blocks the thread, so that a test can hold a writer inside its body.
package struct Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func send() { semaphore.signal() }

  /// Blocks until there was a `send()` for this call.
  ///
  /// Not on a thread of the pool: as many such tests as it has threads would wait for each other. What blocks needs a
  /// ``Worker``, a queue or a ``FixedPool``.
  package func wait() { semaphore.wait() }

  /// The same from asynchronous code, which suspends.
  package func arrival() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        semaphore.wait()
        continuation.resume()
      }
    }
  }
}

/// Runs a closure on a thread of its own; the result is asked for with ``value()`` or ``join()``.
package final class Worker<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)
  private let finished = DispatchGroup()

  /// - Parameter stackSize: in bytes.
  package init(stackSize: Int = 4 << 20, _ body: @escaping @Sendable () throws -> Value) {
    finished.enter()
    let thread = Thread { [self] in
      let result = Result { try body() }
      outcome.withLock { $0 = result }
      finished.leave()
    }
    thread.stackSize = stackSize
    thread.start()
  }

  /// Whether the closure has returned.
  package var isFinished: Bool { outcome.withLock { $0 != nil } }

  /// Blocks until the closure has returned.
  package func join() throws -> Value {
    finished.wait()
    return try outcome.withLock { $0 }!.get()
  }

  /// Suspends until the closure has returned.
  package func value() async throws -> Value {
    await withCheckedContinuation { continuation in
      finished.notify(queue: .global()) { continuation.resume() }
    }
    return try outcome.withLock { $0 }!.get()
  }
}

extension DispatchQueue {
  /// Runs a closure on the queue, which may block, while this task is suspended.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      async { continuation.resume(with: Result { try body() }) }
    }
  }
}

/// Ends the process with a sentence if something hangs that a time limit cannot end, as a blocked thread.
///
/// A test's time limit needs a thread of the pool to run on and cannot interrupt a thread that waits; this
/// has a thread of its own.
package func withWatchdog<Value>(
  _ what: String, seconds: Int = 600, _ body: () async throws -> Value
) async rethrows -> Value {
  let finished = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    if finished.wait(timeout: .now() + .seconds(seconds)) == .timedOut { fatalError("hangs: \(what)") }
  }
  defer { finished.signal() }
  return try await body()
}
