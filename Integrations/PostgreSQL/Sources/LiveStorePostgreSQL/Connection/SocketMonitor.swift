import Foundation
import LiveStore
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The thread that waits for sockets and for deadlines, so that no thread of the cooperative pool does.
///
/// A wait is an entry of `waits`. Whoever takes the entry out, under the lock, resumes its continuation,
/// after leaving the lock; so each is resumed exactly once. There are three who may: the thread (the socket
/// is ready, or the deadline has passed), the task's cancellation, and `complete` (work on another thread is
/// done).
///
/// The thread may still poll a descriptor that no task waits for any longer, until its next round. That is
/// harmless: polling changes nothing, and its result is dropped.
final class SocketMonitor: Sendable {
  /// How a wait ended.
  enum Outcome: Sendable {
    case ready, timedOut, cancelled
  }

  /// What a socket shall be ready for.
  struct Events: OptionSet, Sendable {
    let rawValue: Int16
    static let read = Events(rawValue: Int16(POLLIN))
    static let write = Events(rawValue: Int16(POLLOUT))
  }

  private struct Wait {
    let descriptor: Int32
    let events: Events
    let deadline: ContinuousClock.Instant?
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State {
    var waits: [UInt64: Wait] = [:]
    var lastID: UInt64 = 0
    /// Whether a byte is in the pipe, or about to be, since the thread last looked at `waits`.
    var isWoken = false
  }

  /// All mutable state.
  private let state = Mutex(State())
  /// The pipe that wakes the thread.
  private let wakeReader: Int32
  private let wakeWriter: Int32

  private static let instance = Mutex<SocketMonitor?>(nil)

  /// The monitor of the process, which is made when first needed.
  static func shared() throws -> SocketMonitor {
    try instance.withLock { instance in
      if let instance { return instance }
      let new = try SocketMonitor()
      instance = new
      Thread.detachNewThread { new.run() }
      return new
    }
  }

  private init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw PostgresError(
        PostgresError.connectionFailed,
        "No connection can be made, as the process has too many open files: \(String(cString: strerror(errno)))."
      )
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
  }

  /// Waits until the socket is ready, the deadline has passed or the task is cancelled.
  ///
  /// - Parameter isCancellable: if false, the task's cancellation does not end the wait.
  func wait(
    for events: Events, of descriptor: Int32, until deadline: ContinuousClock.Instant?,
    isCancellable: Bool = true
  ) async -> Outcome {
    // A socket that is always ready would never let a deadline pass.
    if let deadline, deadline <= .now { return .timedOut }
    return await wait(descriptor, events, deadline, isCancellable) { _ in }
  }

  /// Starts work elsewhere, and waits until it calls `complete` with the identifier that it is given, the
  /// deadline has passed or the task is cancelled.
  func wait(
    until deadline: ContinuousClock.Instant?, isCancellable: Bool, for start: (UInt64) -> Void
  ) async -> Outcome {
    await wait(-1, [], deadline, isCancellable, start)
  }

  /// Ends a wait.
  ///
  /// - Returns: false if it had already ended otherwise.
  @discardableResult
  func complete(_ id: UInt64, _ outcome: Outcome = .ready) -> Bool {
    guard let wait = state.withLock({ $0.waits.removeValue(forKey: id) }) else { return false }
    wait.continuation.resume(returning: outcome)
    return true
  }

  private func wait(
    _ descriptor: Int32, _ events: Events, _ deadline: ContinuousClock.Instant?, _ isCancellable: Bool,
    _ start: (UInt64) -> Void
  ) async -> Outcome {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let wakes = state.withLock { state in
          state.waits[id] = Wait(
            descriptor: descriptor, events: events, deadline: deadline, continuation: continuation)
          defer { state.isWoken = true }
          return !state.isWoken
        }
        if wakes { wake() }
        start(id)
        // A cancellation that came before the entry was made has found none.
        if isCancellable, Task.isCancelled { complete(id, .cancelled) }
      }
    } onCancel: {
      if isCancellable { complete(id, .cancelled) }
    }
  }

  private func wake() {
    // If the pipe is full, the thread wakes anyway.
    _ = [0].withUnsafeBytes { write(wakeWriter, $0.baseAddress, 1) }
  }

  private func run() {
    var polled: [pollfd] = []
    var ids: [UInt64] = []
    while true {
      polled = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
      ids = [0]
      var deadline: ContinuousClock.Instant?
      state.withLock { state in
        state.isWoken = false
        for (id, wait) in state.waits {
          if let other = wait.deadline { deadline = min(deadline ?? other, other) }
          guard wait.descriptor >= 0 else { continue }
          polled.append(pollfd(fd: wait.descriptor, events: wait.events.rawValue, revents: 0))
          ids.append(id)
        }
      }
      let count = poll(&polled, nfds_t(polled.count), Self.milliseconds(until: deadline))
      if polled[0].revents != 0 {
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = withUnsafeMutableBytes(of: &bytes) { read(wakeReader, $0.baseAddress, $0.count) }
      }
      // A failure is passed on as readiness: libpq then meets it, too, and says what it is.
      let hasFailed = count < 0 && errno != EINTR
      for (id, socket) in zip(ids, polled).dropFirst() where hasFailed || socket.revents != 0 {
        complete(id)
      }
      if deadline != nil { expire() }
    }
  }

  private func expire() {
    let now = ContinuousClock.now
    let expired = state.withLock { state in
      state.waits.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys
    }
    for id in expired { complete(id, .timedOut) }
  }

  /// The time to a deadline for `poll`, rounded up so that it does not return early; at most a minute.
  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let (seconds, attoseconds) = (deadline - .now).components
    if seconds >= 60 { return 60_000 }
    if seconds < 0 || attoseconds < 0 { return 0 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
