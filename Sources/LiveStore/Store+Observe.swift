public import Dispatch
import Synchronization

extension Store {
  /// Calls a handler with the changes of a query, on the isolation where the closure was written.
  ///
  /// ```swift
  /// let token = store.observe(Post.where { $0.likeCount >= 10 }) { change in
  ///   if case .update(let posts, let changes) = change { … }
  /// }
  /// ```
  /// One event at a time, in order; never inside this call. What happens while the handler is busy is
  /// merged into the next event.
  /// - Parameters:
  ///   - query: what to observe.
  ///   - initial: whether the first event is the result at the start.
  ///   - properties: the only properties whose difference is a modification for this observer; nil for all
  ///     listed ones. A path through a link, as `\.author.name`, means both the link and the value behind it: it is
  ///     a modification when the post gets another author, also one of the same name, and when its author is
  ///     renamed. Deletions, insertions and moves always come.
  ///   - origins: origins whose commits are not delivered; they are in the `previous` of the next event.
  ///   - mode: merged, or commit by commit.
  ///   - handler: called until the token is invalidated or released, the store closed, or an error told.
  /// - Returns: a token to keep as long as the handler is to be called: releasing it ends the observation, so
  ///   `_ = store.observe(…)` observes nothing. Keep it in a property, with `store(in:)` or
  ///   ``NotificationToken/keepUntilClosed()``. The sequences of `changes(of:)` need no token.
  public func observe<Element: Entity>(
    _ query: Query<Element>, initial: InitialDelivery = .deliver, properties: RowPaths<Element>? = nil,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (CollectionChange<Element>) -> Void
  ) -> NotificationToken {
    deliver(
      query.definition(properties: properties), Subscription(initial, origins, mode), .isolated(handler))
  }

  /// Calls a handler with the changes of anything that can be observed, where the closure was written.
  ///
  /// - Returns: a token to keep as long as the handler is to be called; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    _ source: Source, initial: InitialDelivery = .deliver, excluding origins: Set<String> = [],
    mode: DeliveryMode = .latest,
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Source.Change) -> Void
  ) -> NotificationToken {
    deliver(source.liveDefinition, Subscription(initial, origins, mode), .isolated(handler))
  }

  /// Calls a handler with the changes of one object, where the closure was written.
  ///
  /// - Returns: a token to keep as long as the handler is to be called; see ``NotificationToken``.
  public func observe<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID, initial: InitialDelivery = .deliver,
    properties: RowPaths<Element>? = nil, excluding origins: Set<String> = [],
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (ObjectChange<Element>) -> Void
  ) -> NotificationToken {
    deliver(
      ObjectQuery<Element>(id: id, properties: properties).liveDefinition,
      Subscription(initial, origins, .latest), .isolated(handler))
  }

  /// Calls a handler with the changes of anything that can be observed, on a given actor.
  ///
  /// The actor is held weakly: when it is gone, so is the observation.
  /// - Returns: a token to keep as long as the handler is to be called; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    isolation: isolated any Actor, _ source: Source, initial: InitialDelivery = .deliver,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    _ handler: @escaping (Source.Change) -> Void
  ) -> NotificationToken {
    // Called on `isolation` alone, from which it came.
    nonisolated(unsafe) let handler = handler
    return deliver(
      source.liveDefinition, Subscription(initial, origins, mode),
      .actor(WeakActor(isolation)) { handler($0) })
  }

  /// Calls a handler with the changes of anything that can be observed, on a serial queue.
  ///
  /// - Returns: a token to keep as long as the handler is to be called; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    queue: DispatchQueue, _ source: Source, initial: InitialDelivery = .deliver,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    _ handler: @escaping @Sendable (Source.Change) -> Void
  ) -> NotificationToken {
    deliver(source.liveDefinition, Subscription(initial, origins, mode), .queue(queue, handler))
  }

  private func deliver<Value, Change>(
    _ definition: LiveDefinition<Value, Change>, _ subscription: Subscription, _ target: HandlerTarget<Change>
  ) -> NotificationToken {
    let delivery: Delivery
    switch subscription.mode {
    case .latest:
      let handle = cursor(definition, subscription, stepsBack: true)
      let events = EventBuilder(definition, excluding: subscription.origins)
      delivery = Delivery(engine, handle.id, hasInitial: subscription.initial == .deliver) {
        let step = handle.poll()
        switch step {
        case .none, .ended: return nil
        case .failed(let error): return target.event(definition.failure(error), nil, isLast: true)
        case .initial, .update:
          if let change = events.event(step) {
            return target.event(change, step.version, takeBack: { handle.stepBack() })
          }
          if !definition.keepsUntold { return .untold(step.version) }
          _ = handle.stepBack()
          return nil
        }
      }
    case .everyCommit:
      let cursor = everyCommitCursor(definition, subscription)
      delivery = Delivery(engine, cursor.follower, hasInitial: subscription.initial == .deliver) {
        switch cursor.poll() {
        case .none, .ended: nil
        case .untold(let version): .untold(version)
        case .event(let change, let version): target.event(change, version)
        case .last(let change): target.event(change, nil, isLast: true)
        }
      }
    }
    delivery.begin()
    return NotificationToken(delivery)
  }
}

extension CursorStep {
  /// The version it leads to.
  var version: Version? {
    switch self {
    case .initial(let sides): sides.first?.state.version
    case .update(let sides): sides.first?.new.state.version
    case .none, .ended, .failed: nil
    }
  }
}

/// An actor that may be gone.
final class WeakActor: Sendable {
  weak let actor: (any Actor)?

  init(_ actor: any Actor) { self.actor = actor }
}

/// Where a handler is called.
enum HandlerTarget<Change: Sendable>: Sendable {
  case isolated(@isolated(any) @Sendable (Change) -> Void)
  case actor(WeakActor, @Sendable (Change) -> Void)
  case queue(DispatchQueue, @Sendable (Change) -> Void)

  func event(
    _ change: Change, _ version: Version?, isLast: Bool = false,
    takeBack: @escaping @Sendable () -> Bool = { false }
  ) -> Delivery.Event {
    Delivery.Event(
      version: version, isLast: isLast, deliver: { delivery in await call(change, delivery) },
      takeBack: takeBack)
  }

  /// Asks on the handler's isolation whether it may still be called, and calls it, with no suspension between.
  private func call(_ change: Change, _ delivery: Delivery) async -> Bool {
    switch self {
    case .isolated(let handler):
      return await Self.call(on: handler.isolation, handler, change, delivery)
    case .actor(let reference, let handler):
      guard let actor = reference.actor else {
        delivery.invalidate()
        return false
      }
      return await Self.call(onActor: actor, handler, change, delivery)
    case .queue(let queue, let handler):
      return await withCheckedContinuation { continuation in
        queue.async {
          let mayCall = delivery.mayCall
          if mayCall { handler(change) }
          continuation.resume(returning: mayCall)
        }
      }
    }
  }

  private static func call(
    on isolation: isolated (any Actor)?, _ handler: @isolated(any) @Sendable (Change) -> Void,
    _ change: Change, _ delivery: Delivery
  ) async -> Bool {
    guard delivery.mayCall else { return false }
    // The handler belongs to `isolation`, so this does not leave it.
    await handler(change)
    return true
  }

  private static func call(
    onActor actor: isolated any Actor, _ handler: @Sendable (Change) -> Void, _ change: Change,
    _ delivery: Delivery
  ) -> Bool {
    guard delivery.mayCall else { return false }
    handler(change)
    return true
  }
}
