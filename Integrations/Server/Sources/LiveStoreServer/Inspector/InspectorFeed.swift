import Foundation
package import LiveStore
package import NIOCore
import Synchronization

/// Gives new states to all pages that are open: one is made for all of them, and only while there are any.
///
/// A page that does not read has at most one state waiting, the newest. States are made for some seconds after the last client
/// has left, so that a page whose stream ends in time and which connects again misses no commit.
///
/// State, guarded by its mutex: `clients`, by number; `newest`, the state that they have, and how many there were before it;
/// `task`, which makes states; `departures`, how often the last client left.
package final class InspectorFeed: Sendable {
  private struct Clients {
    var all: [Int: AsyncStream<Void>.Continuation] = [:]
    var last = 0
    var newest: (number: Int, event: ByteBuffer)?
    var departures = 0
    var task: Task<Void, Never>?
  }

  private let store: Store
  private let makeState: @Sendable () -> InspectorState
  private let linger: Duration
  private let longestSilence: Duration
  private let clients = Mutex(Clients())

  /// The shortest time between two states.
  private static let interval = Duration.milliseconds(300)
  /// Making states takes at most this part of the time.
  private static let share = 20

  /// - Parameters:
  ///   - linger: how long states are made after the last client has left.
  ///   - longestSilence: the longest time in which clients get nothing, so that a page notices that a server is silent.
  package init(
    _ store: Store, linger: Duration = .seconds(5), longestSilence: Duration = .seconds(5),
    _ makeState: @escaping @Sendable () -> InspectorState
  ) {
    (self.store, self.makeState) = (store, makeState)
    (self.linger, self.longestSilence) = (linger, longestSilence)
  }

  /// How many clients there are.
  package var clientCount: Int { clients.withLock { $0.all.count } }

  /// The states as events, from now on, for one more client: until its task is cancelled.
  package func states() -> States {
    let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = clients.withLock { clients in
      clients.last += 1
      clients.all[clients.last] = continuation
      if clients.newest != nil { continuation.yield() }
      if clients.task == nil { clients.task = Task { [weak self] in await self?.run() } }
      return clients.last
    }
    continuation.onTermination = { [weak self] _ in self?.leave(number) }
    return States(feed: self, wakes: wakes)
  }

  /// The states for one client, and comments where there is none for long.
  package struct States: AsyncSequence, Sendable {
    fileprivate let feed: InspectorFeed
    fileprivate let wakes: AsyncStream<Void>

    package func makeAsyncIterator() -> Iterator {
      Iterator(feed: feed, wakes: wakes.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
      fileprivate let feed: InspectorFeed
      fileprivate var wakes: AsyncStream<Void>.Iterator
      fileprivate var last: Int?

      package mutating func next(isolation actor: isolated (any Actor)?) async -> ByteBuffer? {
        guard await wakes.next(isolation: actor) != nil else { return nil }
        guard let newest = feed.newest, newest.number != last else { return InspectorFeed.comment }
        last = newest.number
        return newest.event
      }
    }
  }

  private var newest: (number: Int, event: ByteBuffer)? { clients.withLock { $0.newest } }
  /// What readers of events ignore.
  package static let comment = ByteBuffer(string: ":\n\n")

  private func leave(_ number: Int) {
    let departure = clients.withLock { clients -> Int? in
      guard clients.all.removeValue(forKey: number) != nil, clients.all.isEmpty else { return nil }
      clients.departures += 1
      return clients.departures
    }
    guard let departure else { return }
    let linger = linger
    Task { [weak self] in
      try? await Task.sleep(for: linger)
      self?.end(after: departure)
    }
  }

  /// Ends the making of states, if no client has come since one left.
  private func end(after departure: Int) {
    clients.withLock { clients in
      guard clients.all.isEmpty, clients.departures == departure else { return }
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
      if undated != shown || start - lastTime >= longestSilence {
        // A value without a JSON form would be a mistake here: the state has none.
        if let text = try? state.text() { send(text) }
        (shown, lastTime) = (undated, start)
      }
      let cost = ContinuousClock.now - start
      // A pause after a costly state may be longer than clients wait.
      var pause = max(Self.interval, cost * (Self.share - 1))
      while pause > longestSilence, !Task.isCancelled {
        try? await Task.sleep(for: longestSilence)
        pause -= longestSilence
        wakeClients()
      }
      try? await Task.sleep(for: pause)
    }
  }

  private func wakeClients() {
    clients.withLock { clients in for client in clients.all.values { client.yield() } }
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
      clients.newest = ((clients.newest?.number ?? 0) + 1, event)
      for client in clients.all.values { client.yield() }
    }
  }
}
