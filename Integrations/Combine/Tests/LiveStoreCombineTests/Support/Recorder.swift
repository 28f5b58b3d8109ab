import Synchronization

/// What happened, in order; readable from anywhere, and able to wait for a number of events.
final class Recorder<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var waiters: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  var events: [Event] { state.withLock { $0.events } }

  func append(_ event: Event) {
    let ready = state.withLock { state in
      state.events.append(event)
      let ready = state.waiters.filter { $0.count <= state.events.count }
      state.waiters.removeAll { $0.count <= state.events.count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  /// Suspends until the last event is a wanted one, or the task is cancelled.
  func reached(where isWanted: (Event) -> Bool) async {
    while !Task.isCancelled {
      let events = events
      if let last = events.last, isWanted(last) { return }
      await reached(events.count + 1)
    }
  }

  /// Suspends until there are at least this many events, or the task is cancelled, as by a time limit.
  func reached(_ count: Int) async {
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
