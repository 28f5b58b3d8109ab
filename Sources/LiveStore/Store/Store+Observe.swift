public import Dispatch

extension Store {
  /// Calls a handler with the changes of a query, on the isolation where the closure was written.
  ///
  /// ```swift
  /// let token = store.observe(Post.where { $0.likeCount >= 10 }) { change in
  ///   if case .update(let posts, let changes) = change { … }
  /// }
  /// ```
  /// Events come one at a time, in order, and never inside this call. What happens while the handler runs is merged
  /// into the next event.
  /// - Parameters:
  ///   - query: what to observe.
  ///   - initial: whether the first event is the result at the start.
  ///   - properties: the only properties whose difference is a modification for this observer; nil for all listed ones.
  ///     A path through a link, such as `\.author.name`, covers the link and the value behind it: the post is modified
  ///     when it gets another author, even one of the same name, and when its author is renamed. Deletions, insertions
  ///     and moves are always delivered.
  ///   - origins: origins whose commits are not delivered; they are in the `previous` of the next event.
  ///   - mode: merged, or commit by commit.
  ///   - handler: called until the token is invalidated or released, the store is closed, or an error was delivered.
  ///   - fileID: where the observer is made, for ``Store/inspection``; leave it out.
  ///   - line: the line in that file; leave it out.
  /// - Returns: a token that keeps the observation alive: releasing it ends the observation, so `_ =
  ///   store.observe(…)` observes nothing. Hold it in a property, with `store(in:)` or
  ///   ``NotificationToken/keepUntilClosed()``. The sequences of `changes(of:)` need no token.
  public func observe<Element: Entity>(
    _ query: Query<Element>, initial: InitialDelivery = .deliver, properties: RowPaths<Element>? = nil,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (CollectionChange<Element>) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> NotificationToken {
    deliver(
      query.definition(properties: properties), initial, origins, mode,
      .isolated(ActorBound(handler, on: handler.isolation)), fileID, line)
  }

  /// Calls a handler with the changes of any source, on the isolation where the closure was written.
  ///
  /// - Returns: a token that keeps the observation alive; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    _ source: Source, initial: InitialDelivery = .deliver, excluding origins: Set<String> = [],
    mode: DeliveryMode = .latest,
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Source.Change) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> NotificationToken {
    deliver(
      source.liveDefinition, initial, origins, mode,
      .isolated(ActorBound(handler, on: handler.isolation)), fileID, line)
  }

  /// Calls a handler with the changes of one object, on the isolation where the closure was written.
  ///
  /// - Returns: a token that keeps the observation alive; see ``NotificationToken``.
  public func observe<Element: Entity>(
    _ type: Element.Type, _ id: Element.ID, initial: InitialDelivery = .deliver,
    properties: RowPaths<Element>? = nil, excluding origins: Set<String> = [],
    @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (ObjectChange<Element>) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> NotificationToken {
    deliver(
      ObjectQuery<Element>(id: id, properties: properties).liveDefinition,
      initial, origins, .latest, .isolated(ActorBound(handler, on: handler.isolation)), fileID, line)
  }

  /// Calls a handler with the changes of any source, on a given actor.
  ///
  /// The actor is held weakly: when it is deallocated, the observation ends. The handler may capture objects that only
  /// the actor may touch. It is called on the actor, and released there.
  /// - Returns: a token that keeps the observation alive; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    isolation: isolated any Actor, _ source: Source, initial: InitialDelivery = .deliver,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    _ handler: @escaping (Source.Change) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> NotificationToken {
    let bound = ActorBound(handler, on: isolation)
    return deliver(
      source.liveDefinition, initial, origins, mode,
      .actor(WeakActor(isolation)) { bound.value?($0) }, fileID, line)
  }

  /// Calls a handler with the changes of any source, on a serial queue.
  ///
  /// - Returns: a token that keeps the observation alive; see ``NotificationToken``.
  public func observe<Source: LiveSource>(
    queue: DispatchQueue, _ source: Source, initial: InitialDelivery = .deliver,
    excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    _ handler: @escaping @Sendable (Source.Change) -> Void,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> NotificationToken {
    deliver(source.liveDefinition, initial, origins, mode, .queue(queue, handler), fileID, line)
  }

  private func deliver<Value, Change>(
    _ definition: LiveDefinition<Value, Change>, _ initial: InitialDelivery, _ origins: Set<String>,
    _ mode: DeliveryMode, _ target: HandlerTarget<Change>, _ fileID: StaticString, _ line: UInt
  ) -> NotificationToken {
    let source = events(
      definition, initial, origins, mode, ObserverSite(.token, fileID, line), isRewindable: true)
    let delivery = Delivery(
      engine, source.subscriber, hasInitial: initial == .deliver, abandon: source.abandon
    ) {
      switch source.poll() {
      case .none, .ended: nil
      case .skipped(let version): .skipped(version)
      case .event(let change, let version): target.event(change, version, rewind: source.rewind)
      case .failed(let error): target.event(source.failure(error), nil, isLast: true)
      }
    }
    delivery.begin()
    return NotificationToken(delivery)
  }
}
