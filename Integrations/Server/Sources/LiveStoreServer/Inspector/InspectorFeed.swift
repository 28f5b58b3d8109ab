import Foundation
package import LiveStore
package import NIOCore
import Synchronization

/// Gives new states to all pages that are open: one is made for all of them, and only while there are any.
///
/// A page that does not read has at most one state waiting, the newest.
///
/// State, guarded by its mutex: `clients`, by number; `newest`, the state that they have; `task`, which makes states.
package final class InspectorFeed: Sendable {
  private struct Clients {
    var all: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var last = 0
    var newest: ByteBuffer?
    var task: Task<Void, Never>?
  }

  private let store: Store
  private let makeState: @Sendable () -> InspectorState
  private let clients = Mutex(Clients())

  /// The shortest time between two states.
  private static let interval = Duration.milliseconds(300)
  /// The longest time without one, so that a page notices that a server is silent.
  private static let longestSilence = Duration.seconds(5)
  /// Making states takes at most this part of the time.
  private static let share = 20

  package init(_ store: Store, _ makeState: @escaping @Sendable () -> InspectorState) {
    (self.store, self.makeState) = (store, makeState)
  }

  /// How many clients there are.
  package var clientCount: Int { clients.withLock { $0.all.count } }

  /// The states as events, from now on, for one more client: until its task is cancelled.
  package func states() -> AsyncStream<ByteBuffer> {
    let (states, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingNewest(1))
    let number = clients.withLock { clients in
      clients.last += 1
      clients.all[clients.last] = continuation
      if let newest = clients.newest { continuation.yield(newest) }
      if clients.task == nil { clients.task = Task { [weak self] in await self?.run() } }
      return clients.last
    }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    return states
  }

  private func leave(_ number: Int) {
    clients.withLock { clients in
      clients.all[number] = nil
      guard clients.all.isEmpty else { return }
      clients.task?.cancel()
      (clients.task, clients.newest) = (nil, nil)
    }
  }

  private func run() async {
    let recording = store.recordTimings()
    defer { withExtendedLifetime(recording) {} }
    var (shown, lastTime): (InspectorState?, ContinuousClock.Instant) = (nil, .now)
    while !Task.isCancelled {
      let start = ContinuousClock.now
      let state = makeState()
      var undated = state
      undated.store.date = .distantPast
      if undated != shown || start - lastTime >= Self.longestSilence {
        // A value without a JSON form would be a mistake here: the state has none.
        if let text = try? state.text() { send(text) }
        (shown, lastTime) = (undated, start)
      }
      let cost = ContinuousClock.now - start
      try? await Task.sleep(for: max(Self.interval, cost * (Self.share - 1)))
    }
  }

  private func send(_ text: Data) {
    var event = ByteBuffer()
    event.reserveCapacity(text.count + 32)
    event.writeString("event: state\ndata: ")
    event.writeBytes(text)
    event.writeString("\n\n")
    clients.withLock { clients in
      // Of a task that has been cancelled, nothing is left.
      guard !Task.isCancelled else { return }
      clients.newest = event
      for client in clients.all.values { client.yield(event) }
    }
  }
}
