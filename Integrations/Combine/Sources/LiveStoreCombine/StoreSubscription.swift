import LiveStore
import Synchronization

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// The next event of a subscription, as soon as there is one; nil after the last.
typealias EventSource<Output: Sendable> = @Sendable () async throws(StoreError) -> Output?

/// One subscriber's subscription: asks the store for as many events as the subscriber does, one after another.
///
/// While there is demand, a task asks and delivers, and keeps this alive; without demand there is none, and
/// this lives as long as the subscriber holds it. The store's cursor is behind `source`: letting go of that
/// ends the observation.
///
/// State: `state`, guarded by its mutex, which is not held while the subscriber is called or released.
final class StoreSubscription<Output: Sendable>: Subscription, Sendable {
  private struct State {
    /// Nil once the subscription has ended, in whatever way.
    var ends: Ends?
    /// Events wanted and not delivered yet.
    var demand = Subscribers.Demand.none
    /// The task that asks and delivers; nil while nothing is wanted.
    var task: Task<Void, Never>?

    /// Counts one event as delivered and returns its subscriber; nil when the subscription has ended.
    mutating func take() -> SerialSubscriber<Output>? {
      guard let ends else { return nil }
      demand -= 1
      return ends.subscriber
    }

    /// Whether to ask for another event, after a delivery that made demand for `more`.
    mutating func goesOn(wanting more: Subscribers.Demand) -> Bool {
      demand += more
      if demand == .none { task = nil }
      return ends != nil && demand > .none
    }
  }

  /// What the subscription stands between.
  private struct Ends: Sendable {
    let subscriber: SerialSubscriber<Output>
    let source: EventSource<Output>
  }

  private let state: Mutex<State>

  init(_ subscriber: some Subscriber<Output, StoreError>, _ source: @escaping EventSource<Output>) {
    let ends = Ends(subscriber: SerialSubscriber(base: AnySubscriber(subscriber)), source: source)
    state = Mutex(State(ends: ends))
  }

  /// Wants more events; the subscriber may ask from within `receive`.
  func request(_ demand: Subscribers.Demand) {
    state.withLock { state in
      guard state.ends != nil else { return }
      state.demand += demand
      guard state.demand > .none, state.task == nil else { return }
      // Made under the lock, so that no other can be made or looked for meanwhile; it runs elsewhere.
      state.task = Task { await deliver() }
    }
  }

  /// No delivery begins from now on; one may be running.
  func cancel() {
    let (ends, task) = end()
    task?.cancel()
    withExtendedLifetime(ends) {}
  }

  /// Asks and delivers until nothing is wanted, or there is nothing more.
  private func deliver() async {
    while let source = state.withLock({ $0.ends?.source }) {
      let event: Output?
      do throws(StoreError) {
        event = try await source()
      } catch {
        complete(.failure(error))
        return
      }
      guard let event else {
        complete(.finished)
        return
      }
      guard let subscriber = state.withLock({ $0.take() }) else { return }
      let more = subscriber.base.receive(event)
      guard state.withLock({ $0.goesOn(wanting: more) }) else { return }
    }
  }

  private func complete(_ completion: Subscribers.Completion<StoreError>) {
    end().ends?.subscriber.base.receive(completion: completion)
  }

  private func end() -> (ends: Ends?, task: Task<Void, Never>?) {
    state.withLock { state in
      defer { (state.ends, state.task) = (nil, nil) }
      return (state.ends, state.task)
    }
  }
}

/// A subscriber that is called wherever the task runs that delivers to it.
///
/// Subscribers may be called on any thread as long as their calls do not overlap; a subscription has one task
/// at a time, which makes them one after another.
private struct SerialSubscriber<Output: Sendable>: @unchecked Sendable {
  let base: AnySubscriber<Output, StoreError>
}
