import LiveStore
import Synchronization

/// The hubs of a server, each as long as it has clients, and a little longer.
///
/// State: `hubs`, guarded by its mutex.
final class HubRegistry: Sendable {
  /// What a hub is for: queries with their fields.
  struct Key: Hashable, Sendable {
    let fingerprint: UInt64
    let queries: [AnyHashableSendable]
  }

  private struct Entry {
    let hub: StreamHub
    let task: Task<Void, Never>
    let place: Place
    var clients: Int
    /// Counts the times that the last client went, so that only the last timer ends the hub.
    var departures = 0
  }

  private let hubs = Mutex<[Key: Entry]>([:])
  private let pace: StreamPace
  private let limits: StreamLimits
  private let metrics: ServerMetrics
  private let places: Places

  init(_ limits: StreamLimits, _ metrics: ServerMetrics) {
    (pace, self.limits, self.metrics) = (limits.pace, limits, metrics)
    places = Places(limits.queries, metrics.queries, .tooManyQueries)
  }

  /// How many hubs there are.
  var count: Int { hubs.withLock { $0.count } }

  /// The hub of a source, for one more client.
  ///
  /// - Throws: `filterTooExpensive`, `unknownEntity`, `closed`; an error with the status 429 if there are too many hubs.
  func join(_ source: StreamSource) throws -> HubMembership {
    let key = Key(fingerprint: source.fingerprint, queries: source.parts.map(\.identity))
    if let hub = existing(key) { return membership(hub, key) }
    let place = try places.take()
    // Made without the lock, since evaluating the query takes time. If another client was first, this one goes.
    let made = try StreamHub(source, pace, metrics)
    let hub = hubs.withLock { hubs in
      if let known = hubs[key]?.hub, !known.isOver {
        hubs[key]?.clients += 1
        return known
      }
      let task = Task { [weak self] in
        await made.run()
        self?.remove(key, made)
      }
      // Another hub of the query has ended; its task need not run on.
      hubs.updateValue(Entry(hub: made, task: task, place: place, clients: 1), forKey: key)?.task.cancel()
      return made
    }
    return membership(hub, key)
  }

  private func membership(_ hub: StreamHub, _ key: Key) -> HubMembership {
    HubMembership(hub) { [weak self] in self?.leave(key, hub) }
  }

  private func existing(_ key: Key) -> StreamHub? {
    hubs.withLock { hubs in
      guard let hub = hubs[key]?.hub, !hub.isOver else { return nil }
      hubs[key]?.clients += 1
      return hub
    }
  }

  /// A hub has come to its end; clients that still come get a new one.
  private func remove(_ key: Key, _ hub: StreamHub) {
    hubs.withLock { hubs in
      if hubs[key]?.hub === hub { hubs[key] = nil }
    }
  }

  private func leave(_ key: Key, _ hub: StreamHub) {
    let departure: Int? = hubs.withLock { hubs in
      // One that came to its end may have a successor.
      guard hubs[key]?.hub === hub else { return nil }
      hubs[key]?.clients -= 1
      guard hubs[key]?.clients == 0 else { return nil }
      hubs[key]?.departures += 1
      return hubs[key]?.departures
    }
    guard let departure else { return }
    if limits.linger == .zero { return end(key, departure) }
    Task { [weak self, limits] in
      try? await Task.sleep(for: limits.linger)
      self?.end(key, departure)
    }
  }

  private func end(_ key: Key, _ departure: Int) {
    let entry: Entry? = hubs.withLock { hubs in
      guard let entry = hubs[key], entry.clients == 0, entry.departures == departure else { return nil }
      return hubs.removeValue(forKey: key)
    }
    entry?.task.cancel()
  }

  deinit { hubs.withLock { hubs in hubs.values.forEach { $0.task.cancel() } } }
}

/// A client's part in a hub; it leaves when this goes.
final class HubMembership: Sendable {
  let hub: StreamHub
  private let leave: @Sendable () -> Void

  init(_ hub: StreamHub, leave: @escaping @Sendable () -> Void) {
    (self.hub, self.leave) = (hub, leave)
  }

  deinit { leave() }
}

/// A hashable value of any type that may be shared between threads.
struct AnyHashableSendable: Hashable, Sendable {
  private let value: any Hashable & Sendable

  init(_ value: any Hashable & Sendable) { self.value = value }

  static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
