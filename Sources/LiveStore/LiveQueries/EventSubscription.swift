import Synchronization

/// A subscription that is asked for its events one by one.
final class EventSubscription<Event: Sendable>: Sendable {
  /// Nil when it has ended: the observed results are then released, though the sequence may still be held.
  private let source: Mutex<EventSource<Event>?>
  private let pace = YieldCounter()

  init(_ source: EventSource<Event>) { self.source = Mutex(source) }

  /// The next event, made outside the caller's isolation.
  @concurrent
  func next() async -> Event? {
    guard let source = source.withLock({ $0 }) else { return nil }
    let event = await withTaskCancellationHandler {
      await next(of: source)
    } onCancel: {
      source.abandon()
    }
    // An abandoned query is not brought up to date any more, so nothing may wait for it.
    if Task.isCancelled { finish() }
    return event
  }

  private func next(of source: EventSource<Event>) async -> Event? {
    while !Task.isCancelled {
      switch source.poll() {
      case .event(let event, _):
        await pace.next()
        return event
      case .failed(let error):
        finish()
        // An abandoned evaluation is no event.
        return Task.isCancelled ? nil : source.failure(error)
      case .ended:
        finish()
        return nil
      case .none: await source.wait()
      case .skipped: break
      }
      await pace.next()
    }
    finish()
    return nil
  }

  /// The next event if there is one, made on this thread.
  func nextIfReady() -> Event? {
    while let source = source.withLock({ $0 }) {
      switch source.poll() {
      case .event(let event, _): return event
      case .failed(let error):
        finish()
        return source.failure(error)
      case .ended: finish()
      case .none: return nil
      case .skipped: break
      }
    }
    return nil
  }

  private func finish() {
    let source = source.withLock { $0.take() }
    withExtendedLifetime(source) {}
  }
}
