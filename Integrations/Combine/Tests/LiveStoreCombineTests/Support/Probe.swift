import LiveStore
import Synchronization

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A subscriber that wants only what the test says, and notes what it gets.
final class Probe<Input: Sendable>: Subscriber, Sendable {
  typealias Failure = StoreError

  /// A subscription that the test may use from anywhere: those of this library are made for that.
  struct Held: @unchecked Sendable {
    let subscription: any Subscription
  }

  let inputs = Recorder<Input>()
  let completions = Recorder<StoreError?>()
  private let overlaps = Atomic(0)
  private let running = Atomic(0)
  private let held = Mutex<Held?>(nil)
  private let initial: Subscribers.Demand
  private let onInput: @Sendable (Probe, Input) -> Subscribers.Demand

  /// Calls that began while another was running.
  var overlapCount: Int { overlaps.load(ordering: .relaxed) }

  /// - Parameters:
  ///   - initial: what to want at once.
  ///   - onInput: what to do with each input; how many more to want.
  init(
    wanting initial: Subscribers.Demand = .none,
    onInput: @escaping @Sendable (Probe, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.initial = initial
    self.onInput = onInput
  }

  func receive(subscription: any Subscription) {
    let new = Held(subscription: subscription)
    held.withLock { $0 = new }
    if initial > .none { subscription.request(initial) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    enter()
    defer { leave() }
    inputs.append(input)
    return onInput(self, input)
  }

  func receive(completion: Subscribers.Completion<StoreError>) {
    enter()
    defer { leave() }
    switch completion {
    case .finished: completions.append(nil)
    case .failure(let error): completions.append(error)
    }
  }

  func request(_ demand: Subscribers.Demand) { held.withLock { $0 }?.subscription.request(demand) }

  func cancel() { held.withLock { $0 }?.subscription.cancel() }

  /// Lets go of the subscription without a word.
  func drop() {
    let dropped = held.withLock { held in
      defer { held = nil }
      return held
    }
    withExtendedLifetime(dropped) {}
  }

  private func enter() {
    if running.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
  }

  private func leave() { running.subtract(1, ordering: .relaxed) }
}
