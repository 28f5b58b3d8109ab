#if DEBUG
  import Foundation
#endif
import Synchronization

/// Calls a token's handler with one event after another: an event at a time, in order, on the handler's actor
/// or queue.
///
/// Being marked starts a task that pulls and delivers until nothing is left, and then ends, so that nothing
/// is kept alive between events. The state machine is `State`; it is guarded by the mutex, and the actions
/// that its methods return are done after leaving it.
final class Delivery: Sendable {
  /// An event ready for its handler.
  struct Event: Sendable {
    let version: Version?
    let isLast: Bool
    /// Calls the handler on its actor or queue; false if it may not be called any more, or not now.
    let deliver: @Sendable (Delivery) async -> Bool
    /// Undoes the event, so that its changes are part of the next one; false if that is not possible.
    let rewind: @Sendable () -> Bool

    /// Commits without an event, through a version.
    static func skipped(_ version: Version?) -> Event {
      Event(version: version, isLast: false, deliver: { _ in true }, rewind: { true })
    }
  }

  struct State {
    var isRunning = false
    /// Marked while running: look again before ending.
    var isMarked = false
    var isPaused = false
    var isInvalidated = false
    /// Whether the handler was called, or need not have been.
    var hasDelivered: Bool
    /// Where events come from; nil once invalidated.
    var pull: (@Sendable () -> Event?)?
    /// Ends a long pull; nil once invalidated.
    var abandon: (@Sendable () -> Void)?
    /// An event that was ready when the token was paused and could not be undone.
    var held: Event?
    /// A token that is kept until the end.
    var keptToken: NotificationToken?
    /// The handler of an actor that is being deallocated: the owner of the token releases it (L16).
    var orphan: (any Sendable)?

    /// Whether a call may start.
    var mayCall: Bool { !isInvalidated && !isPaused }

    /// Whether to start the task.
    mutating func mark() -> Bool {
      isMarked = true
      if isRunning || isPaused || isInvalidated { return false }
      isRunning = true
      return true
    }

    /// Whether the task is to look for events again.
    mutating func next() -> Bool {
      if isPaused || isInvalidated || !isMarked {
        isRunning = false
        return false
      }
      return true
    }

    /// The next event, or where to pull it from, if a call may start.
    mutating func takeNext() -> Next {
      mayCall ? Next(held: held.take(), pull: pull) : Next(held: nil, pull: nil)
    }

    /// No call starts from now on. Returns the values to free outside the mutex.
    mutating func invalidate(keeping handler: (any Sendable)?) -> (Next, orphan: (any Sendable)?) {
      isInvalidated = true
      defer { orphan = handler }
      return (Next(held: held.take(), pull: pull.take(), abandon: abandon.take()), orphan)
    }
  }

  /// A struct, since a bare closure that leaves a mutex is wrapped once more each time.
  struct Next {
    let held: Event?
    let pull: (@Sendable () -> Event?)?
    var abandon: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>
  private let engine: LiveEngine
  /// The cursor or subscriber it pulls from.
  private let subscriber: UInt64
  let id: UInt64

  /// - Parameters:
  ///   - hasInitial: whether there is a first event in any case.
  ///   - abandon: ends a long pull, when no more events are needed.
  init(
    _ engine: LiveEngine, _ subscriber: UInt64, hasInitial: Bool = false,
    abandon: @escaping @Sendable () -> Void, _ pull: @escaping @Sendable () -> Event?
  ) {
    state = Mutex(State(hasDelivered: !hasInitial, pull: pull, abandon: abandon))
    self.engine = engine
    self.subscriber = subscriber
    id = engine.registry.withLock { $0.makeID() }
    LiveCounts.add(.deliveries)
  }

  deinit { LiveCounts.remove(.deliveries) }

  /// Begins, and is marked from now on when there may be something new.
  func begin() {
    if state.withLock({ $0.isInvalidated }) { return }
    engine.connect(subscriber, to: id) { [weak self] in self?.mark() }
    mark()
  }

  /// There may be something new.
  private func mark() {
    if state.withLock({ $0.mark() }) { start() } else { report(through: nil) }
    releaseIfOver()
  }

  /// Releases a kept token that is paused when the store is closed: no task will do it.
  private func releaseIfOver() {
    guard state.withLock({ $0.keptToken != nil && $0.isPaused }) else { return }
    if engine.isClosed { release() }
  }

  private func start() {
    engine.registry.withLock { $0.settling.markBusy(id) }
    Task.detached(executorPreference: engine.executor, priority: .userInitiated) { [self] in await run() }
  }

  private func run() async {
    let pace = YieldCounter()
    var isOver = false
    while state.withLock({ $0.next() }) {
      await pace.next()
      state.withLock { $0.isMarked = false }
      // Read before the next event is pulled: the end, which follows the closing, must not be missed.
      isOver = engine.isClosed
      while case .some(let version) = await deliverNext() {
        if let version { report(through: version) }
        await pace.next()
      }
    }
    // When the store is closed, there is nothing more to deliver.
    if isOver { invalidate() }
    report(through: nil)
  }

  /// Delivers the next event, which is freed when this returns, before it is reported (L14).
  ///
  /// - Returns: the version that the event leads to, if it has one; nil if there is no event, or its handler may not be
  ///   called now.
  private func deliverNext() async -> Version?? {
    let next = state.withLock { $0.takeNext() }
    guard let event = next.held ?? next.pull?() else { return nil }
    guard await event.deliver(self) else {
      if !event.rewind() { state.withLock { if !$0.isInvalidated { $0.held = event } } }
      return nil
    }
    if event.isLast { invalidate() }
    return .some(event.version)
  }

  private func report(through version: Version?) {
    var wakes = DeferredWork()
    engine.registry.withLock { registry in
      if version == nil {
        // Still busy: another task took over, or will, having been marked meanwhile.
        let isBusy = state.withLock { state in
          state.isRunning
            || (!state.isPaused && !state.isInvalidated && registry.subscriber(subscriber)?.isMarked == true)
        }
        if isBusy { return }
      } else {
        registry.accept(subscriber, &wakes)
      }
      registry.settling.delivered(id, through: version, &wakes)
    }
    wakes.perform()
  }

  var mayCall: Bool { state.withLock { $0.mayCall } }

  /// Whether a call may start, and counts it; called on the handler's isolation right before the call.
  func beginCall() -> Bool {
    let mayCall = state.withLock { state in
      if state.mayCall { state.hasDelivered = true }
      return state.mayCall
    }
    if mayCall { engine.recordDelivery(to: subscriber) }
    return mayCall
  }

  func pause() {
    state.withLock { $0.isPaused = true }
    showPause()
    report(through: nil)
    releaseIfOver()
  }

  func resume() {
    let mustStart = state.withLock { state in
      guard state.isPaused else { return false }
      state.isPaused = false
      return state.mark()
    }
    showPause()
    if mustStart { start() }
  }

  /// Shows inspections whether it is paused.
  private func showPause() {
    engine.registry.withLock { $0.subscriber(subscriber)?.isPaused = state.withLock { $0.isPaused } }
  }

  /// Keeps a token of this delivery until there is nothing more to deliver.
  func keep(_ token: NotificationToken) {
    let isInvalidated = state.withLock { state in
      state.keptToken = token
      return state.isInvalidated
    }
    if isInvalidated || engine.isClosed { release() }
  }

  #if DEBUG
    /// Warns on standard error if a token is released before its handler was called: probably a mistake.
    func warnIfNeverDelivered() {
      let isForgotten = state.withLock { !$0.hasDelivered && !$0.isPaused && !$0.isInvalidated }
      guard isForgotten, !engine.isClosed else { return }
      let text = """
        LiveStore: a token was released before its handler was called, so the handler is not called at all. Keep what \
        observe(…) returns: in a property, by store(in:) or by keepUntilClosed(). (Printed in debug builds only.)\n
        """
      FileHandle.standardError.write(Data(text.utf8))
    }
  #endif

  private func release() {
    let token = state.withLock { $0.keptToken.take() }
    withExtendedLifetime(token) {}
  }

  /// No call starts from now on.
  ///
  /// - Parameter handler: the handler to release with the token, or when it is invalidated once more.
  func invalidate(keeping handler: (any Sendable)? = nil) {
    defer { release() }
    let freed = state.withLock { $0.invalidate(keeping: handler) }
    freed.0.abandon?()
    withExtendedLifetime(freed) {}
    engine.disconnect(subscriber, from: id)
    report(through: nil)
  }
}
