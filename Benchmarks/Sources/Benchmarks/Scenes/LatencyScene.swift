import Dispatch
import LiveStore
import LiveStoreObservation
import Observation

/// The time from a write to the observer's code: commits one at a time.
enum LatencyScene {
  private static let commits = 2_000

  @Sendable static func run(_ session: Session) async throws {
    for count in session.rows([10_000, 1_000_000]) {
      let items = Item.many(count)
      try await measure(session, "a token's handler on a queue", items) { store in
        let queue = DispatchQueue(label: "observer")
        return await Listener { arrived in
          store.observe(queue: queue, Targets.sortedHalf, initial: .skip) { _ in arrived() }
        }
      }
      try await measure(session, "an AsyncSequence", items) { store in
        let changes = try store.subscribe(Targets.sortedHalf).changes
        return await Listener { arrived in
          Task { for await _ in changes { arrived() } }
        }
      }
      try await measure(session, "LiveResults on the main actor", items) { store in
        let model = await Model(store)
        return await Listener { arrived in
          await model.follow(arrived)
          return model
        }
      }
    }
  }

  private static func measure(
    _ session: Session, _ work: String, _ items: [Item], _ listen: (Store) async throws -> Listener
  ) async throws {
    let store = try fill(items)
    let listener = try await listen(store)
    try await store.settled()
    var percentiles: [(name: String, values: [Double])] = [
      ("LiveStore, half", []), ("99%", []), ("99.9%", []),
    ]
    let ids = randomNumbers(commits, below: items.count, seed: 21)
    for round in 0...session.runs {
      var times: [Double] = []
      for id in ids {
        let score = scattered(id + round + 1) / 2
        if store[Item.self, id]?.score == score { continue }
        let time = try await listener.time {
          try await store.write { tx in try tx.update(Item.self, id) { $0.score = score } }
        }
        times.append(time / .nanoseconds(1))
      }
      times.sort()
      if round == 0 { continue }
      for (index, fraction) in [0.5, 0.99, 0.999].enumerated() {
        percentiles[index].values.append(Spread.quantile(fraction, of: times))
      }
    }
    session.record("commit to \(work)", rows: items.count, isComparison: false, samples: percentiles)
    withExtendedLifetime(listener) {}
  }
}

/// An observer that reports when it is called.
final class Listener {
  private let receiver: Receiver
  private let observation: Any

  init(_ observe: (@escaping @Sendable () -> Void) async -> Any) async {
    let receiver = Receiver()
    self.receiver = receiver
    observation = await observe { receiver.arrive() }
  }

  func time(_ body: () async throws -> Void) async throws -> Duration { try await receiver.time(body) }
}

/// A view model that is read again after each change, as by a view.
@MainActor
final class Model {
  private let results: LiveResults<Item>

  init(_ store: Store) { results = LiveResults(store, Targets.sortedHalf, initial: .synchronous) }

  /// Reads again after each change, in a task of the main actor, as a view does.
  func follow(_ arrived: @escaping @Sendable () -> Void) {
    withObservationTracking {
      blackHole(results.elements.count)
    } onChange: { [self] in
      Task { @MainActor in
        follow(arrived)
        arrived()
      }
    }
  }
}
