/// The changes of something observed, as an asynchronous sequence.
///
/// It has no buffer: each iterator is a cursor that gets, when it asks, all changes since it last asked,
/// merged into one event. An iterator is a subscription of its own; leaving the loop or cancelling its task
/// ends it. An error is the last element.
public struct LiveChanges<Change: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> EventSubscription<Change>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: subscribe()) }

  /// One subscription, which may begin in one place and be consumed in another.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let feed: EventSubscription<Change>

    /// The next change, as soon as there is one; nil when the store is closed or the task is cancelled.
    public mutating func next() async -> Change? { await feed.next() }

    /// The next change, as soon as there is one; nil when the store is closed or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? { await feed.next() }

    /// The next change, made on the calling thread, which does not wait; nil if there is none yet, or none any more.
    ///
    /// For a loop of your own, in which one thread writes and handles the changes:
    /// ```swift
    /// try store.write { tx in try tx.insert(post) }
    /// while let change = changes.nextIfReady() { … }
    /// ```
    /// - Complexity: that of bringing the result up to date, unless that has been done in the background.
    public func nextIfReady() -> Change? { feed.nextIfReady() }
  }

  /// The same as a plain `AsyncStream`, for one consumer; it holds no buffer either.
  public func stream() -> AsyncStream<Change> {
    let feed = subscribe()
    return AsyncStream { await feed.next() }
  }
}
