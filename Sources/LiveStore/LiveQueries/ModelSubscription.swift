/// Follows sources for a model, which holds their newest value on one actor.
///
/// Changes are found in the background and wait here for the actor to take them; or the actor finds them at
/// once. Either way they are taken in order, and changes that were not yet taken are merged.
package final class ModelSubscription<Value: Sendable, Change: Sendable>: Sendable {
  /// An update for the actor to take.
  package struct Update: Sendable {
    package let value: Value
    package let version: Version
    /// The change from the value taken before; nil for the first value.
    package let change: Change?
    /// Whether the model's own actor wrote all of the change.
    package let isOwn: Bool
    /// How many rows there would be without the window.
    package let total: Int?
  }

  package enum Taken: Sendable {
    case none
    case update(Update)
    /// Nothing but how many rows there would be without the window.
    case total(Int)
    case failed(StoreError)
  }

  private let engine: LiveEngine
  private let pending: PendingUpdates<Value, Change>
  private let delivery: Delivery
  private let token: NotificationToken
  private let model: UInt64
  private let modelActor: ObjectIdentifier

  init(
    _ engine: LiveEngine, _ sources: ModelSources<Value, Change>, replacing previous: ModelSubscription?,
    on actor: any Actor, _ site: ObserverSite, onUpdate: @escaping @Sendable () -> Void
  ) {
    self.engine = engine
    modelActor = ObjectIdentifier(actor)
    let handle = engine.makeCursor(sources.queries, excluding: [], modelActor: modelActor, site)
    let pending = PendingUpdates(handle, sources, replacing: previous?.pending)
    self.pending = pending
    let target = HandlerTarget<Void>.actor(WeakActor(actor)) { _ in onUpdate() }
    let delivery = Delivery(engine, handle.subscriber, abandon: { handle.abandon() }) {
      pending.find().map { found in
        target.event((), found.version, isLast: found.isLast, rewind: { true })
      }
    }
    self.delivery = delivery
    token = NotificationToken(delivery)
    model = handle.subscriber
    engine.models.add(
      ModelRegistry.Model(
        collect: { if delivery.mayCall { pending.collectEvaluated() } },
        publish: { if delivery.beginCall() { onUpdate() } }),
      model, on: actor)
  }

  deinit { engine.models.remove(model, of: modelActor) }

  /// Begins to find changes in the background.
  package func begin() { delivery.begin() }

  /// All changes since the last call; to be called on the actor.
  package func take() -> Taken {
    let taken = pending.take()
    if case .update = taken { engine.recordDelivery(to: model, isTaken: true) }
    return taken
  }

  /// Finds changes at once.
  ///
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  package func collect(evaluates: Bool = true) { pending.collect(evaluates: evaluates) }

  /// Holds back changes until ``resume()``, which delivers them, including the actor's own.
  package func pause() {
    token.pause()
    pending.pause()
  }

  package func resume() {
    token.resume()
    pending.resume()
    // A token does not continue after the end, which is still to be published.
    if engine.isClosed { pending.collectEvaluated() }
  }

  package func stop() { token.invalidate() }
}
