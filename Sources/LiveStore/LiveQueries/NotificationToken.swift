/// Keeps a handler called; release it or call ``invalidate()`` to stop.
///
/// A token that is not held ends its observation at once: `_ = store.observe(…)` observes nothing. Where to hold it:
///
/// ```swift
/// token = store.observe(Post.all) { … }                       // in a property, for as long as its owner lives
/// store.observe(Post.all) { … }.store(in: &tokens)            // in a set of several
/// store.observe(Post.all) { … }.keepUntilClosed()             // nowhere: for as long as the store lives
/// for await change in store.changes(of: Post.all) { … }       // no token: for as long as the task runs
/// ```
/// A local `let token` that nothing uses later may be released right after it was made. In debug builds, a token
/// that is released before its handler was called, without ``invalidate()``, says so on standard error.
public final class NotificationToken: Sendable {
  private let delivery: Delivery

  init(_ delivery: Delivery) { self.delivery = delivery }

  deinit {
    #if DEBUG
      delivery.warnIfNeverDelivered()
    #endif
    delivery.invalidate()
  }

  func keep() { delivery.keep(self) }

  /// Stops for good. If this is called where the handler runs, the handler is not called again; from
  /// elsewhere, no call starts after this, but one may be running. The handler is released, with its
  /// captures, on its actor soon after.
  public func invalidate() { delivery.invalidate() }

  /// Holds events back. Changes meanwhile cost nothing but the version that the observer holds.
  public func pause() { delivery.pause() }

  /// Delivers all changes since ``pause()`` as one merged event, and continues.
  public func resume() { delivery.resume() }
}
