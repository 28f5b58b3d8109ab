public import LiveStore

#if canImport(Combine)
  public import Combine
#else
  public import OpenCombine
#endif

/// The events of a store, as a publisher that honours demand.
///
/// ```swift
/// let cancellable = store.publisher(for: Post.where { $0.likeCount >= 10 })
///   .receive(on: DispatchQueue.main)
///   .sink { completion in … } receiveValue: { change in
///     if case .update(let posts, let changes) = change { … }
///   }
/// ```
/// Each subscriber has a subscription of its own, which begins with its first demand (where the first event
/// is skipped: when it subscribes). There is no buffer: an event is made when the subscriber wants one, and
/// reports everything since the last one as a single change. So with demand for one event at a time a slow
/// subscriber gets few large ones, and delays no other observer.
///
/// Events are delivered one at a time, in order, on no thread in particular: say `receive(on:)`. On no thread in particular the
/// subscriber is released, too, as with any publisher: by what cancels it, or by the last delivery. So a `sink` should capture
/// weakly, or hold for itself, what only the main actor may free. The publisher finishes
/// when the store is closed and fails when the store's last event is an error; either is reported when the
/// next event is wanted.
public struct StorePublisher<Output: Sendable>: Publisher, Sendable {
  /// Why no more events follow.
  public typealias Failure = StoreError

  private let subscribe: @Sendable () -> EventSource<Output>

  init(_ changes: LiveChanges<Output>) where Output: FailableChange {
    subscribe = {
      let iterator = changes.makeAsyncIterator()
      return { () async throws(StoreError) in
        // A copy is the same subscription.
        var iterator = iterator
        let change = await iterator.next(isolation: nil)
        if let error = change?.failure { throw error }
        return change
      }
    }
  }

  init(_ values: LiveValues<Output>) {
    subscribe = {
      let iterator = values.makeAsyncIterator()
      return { () async throws(StoreError) in
        var iterator = iterator
        return try await iterator.next(isolation: nil)
      }
    }
  }

  /// Begins a subscription for a subscriber, and hands it over.
  public func receive(subscriber: some Subscriber<Output, StoreError>) {
    subscriber.receive(subscription: StoreSubscription(subscriber, subscribe()))
  }
}
