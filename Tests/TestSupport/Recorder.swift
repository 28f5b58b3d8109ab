import LiveStore
import Synchronization

/// What a handler received, in order; readable from anywhere, and able to wait for a number of events.
package final class Recorder<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var waiters: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var events: [Event] { state.withLock { $0.events } }
  package var count: Int { state.withLock { $0.events.count } }
  package var last: Event? { state.withLock { $0.events.last } }

  package func append(_ event: Event) {
    let ready = state.withLock { state in
      state.events.append(event)
      let ready = state.waiters.filter { $0.count <= state.events.count }
      state.waiters.removeAll { $0.count <= state.events.count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Suspends until there are at least this many events, or the task is cancelled, as by a time limit.
  package func reached(_ count: Int) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.events.count >= count || Task.isCancelled { return true }
          state.waiters.append((id, count, continuation))
          return false
        }
        if isThere { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume()
    }
  }
}

/// A gate that tasks wait at until it is opened; it stays open.
package final class Gate: Sendable {
  private let opened = Recorder<Bool>()

  package init() {}

  package func open() { opened.append(true) }

  package func wait() async { await opened.reached(1) }
}
