import Synchronization

/// The changes of something observed, as an asynchronous sequence.
///
/// It has no buffer: each iterator is a cursor that gets, when it asks, what changed since it last asked,
/// merged into one event. An iterator is a subscription of its own; leaving the loop or cancelling its task
/// ends it. An error is the last element.
public struct LiveChanges<Change: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> Feed<Change>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: subscribe()) }

  /// One subscription, which may be begun in one place and followed in another.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let feed: Feed<Change>

    /// The next change, as soon as there is one; nil when the store is closed or the task is cancelled.
    public mutating func next() async -> Change? { await feed.next() }

    /// The next change, as soon as there is one; nil when the store is closed or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? { await feed.next() }
  }

  /// The same as a plain `AsyncStream`, for one consumer; it holds no buffer either.
  public func stream() -> AsyncStream<Change> {
    let feed = subscribe()
    return AsyncStream { await feed.next() }
  }
}

/// The newest value of something observed, as an asynchronous sequence that throws its last error.
///
/// Values that come while the consumer is busy are skipped: it always gets the newest.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> Feed<Result<Value, StoreError>>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: subscribe()) }

  /// One subscription, which may be begun in one place and followed in another.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let feed: Feed<Result<Value, StoreError>>

    /// The newest value, as soon as it is another; nil when the store is closed or the task is cancelled.
    public mutating func next() async throws -> Value? { try await feed.next()?.get() }

    /// The newest value, as soon as it is another; nil when the store is closed or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Value? {
      guard let result = await feed.next() else { return nil }
      return try result.get()
    }
  }

  /// The same as a plain `AsyncThrowingStream`, for one consumer; it holds no buffer either.
  public func stream() -> AsyncThrowingStream<Value, any Error> {
    let feed = subscribe()
    return AsyncThrowingStream { try await feed.next()?.get() }
  }
}

/// Counts the steps of one consumer, and lets other tasks run after some of them: one that always has something new
/// would never suspend, and as many of those as there are threads would keep all other tasks waiting.
struct Pace: ~Copyable {
  private let steps = Atomic(0)

  /// To be called after each step, whether or not it delivered an event.
  func next() async {
    if steps.add(1, ordering: .relaxed).newValue.isMultiple(of: 16) { await Task.yield() }
  }
}

/// A subscription that is asked for its events one by one.
final class Feed<Event: Sendable>: Sendable {
  /// Nil when it has ended: what it observed is released, though the sequence may be kept.
  private let source: Mutex<EventSource<Event>?>
  private let pace = Pace()

  init(_ source: EventSource<Event>) { self.source = Mutex(source) }

  /// The next event, made outside the caller's isolation.
  @concurrent
  func next() async -> Event? {
    guard let source = source.withLock({ $0 }) else { return nil }
    while !Task.isCancelled {
      switch source.poll() {
      case .event(let event, _):
        await pace.next()
        return event
      case .last(let event):
        finish()
        return event
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

  private func finish() {
    let source = source.withLock { $0.take() }
    withExtendedLifetime(source) {}
  }
}
