/// The newest value of something observed, as an asynchronous sequence that throws its last error.
///
/// Values that come while the consumer is busy are skipped: it always gets the newest.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  let subscribe: @Sendable () -> EventSubscription<Result<Value, StoreError>>

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: subscribe()) }

  /// One subscription, which may begin in one place and be consumed in another.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let feed: EventSubscription<Result<Value, StoreError>>

    /// The newest value, as soon as it is another; nil when the store is closed or the task is cancelled.
    public mutating func next() async throws -> Value? { try await feed.next()?.get() }

    /// The newest value, as soon as it is another; nil when the store is closed or the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Value? {
      guard let result = await feed.next() else { return nil }
      return try result.get()
    }

    /// The newest value, found on the calling thread, which does not wait; nil if it is the one before, or none follows.
    ///
    /// ```swift
    /// var counts = store.values(of: Post.all.count).makeAsyncIterator()
    /// while let count = try counts.nextIfReady() { … }
    /// ```
    /// - Throws: the last error.
    /// - Complexity: that of bringing the value up to date, unless that has been done in the background.
    public func nextIfReady() throws(StoreError) -> Value? { try feed.nextIfReady()?.get() }
  }

  /// The same as a plain `AsyncThrowingStream`, for one consumer; it holds no buffer either.
  public func stream() -> AsyncThrowingStream<Value, any Error> {
    let feed = subscribe()
    return AsyncThrowingStream { try await feed.next()?.get() }
  }
}
