/// Follows sources for a model that keeps their newest value where one actor reads it.
///
/// What is new is found in the background and waits here for the actor to take it; or the actor has it found
/// at once. Either way it is taken in order, and what was not yet taken is merged.
package final class ModelSubscription<Value: Sendable, Change: Sendable>: Sendable {
  /// What there is to take.
  package struct Update: Sendable {
    package let value: Value
    package let version: Version
    /// What leads here from what was taken before; nil for the first value.
    package let change: Change?
    /// Whether all of it was written by the model's own actor.
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
  private let modelActor: ActorID

  init(
    _ engine: LiveEngine, _ sources: ModelSources<Value, Change>, replacing previous: ModelSubscription?,
    on actor: any Actor, onUpdate: @escaping @Sendable () -> Void
  ) {
    self.engine = engine
    modelActor = ObjectIdentifier(actor)
    let handle = engine.makeCursor(sources.queries, excluding: [], modelActor: modelActor)
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

  /// Begins to find what is new in the background.
  package func begin() { delivery.begin() }

  /// Everything new since it was last taken; to be called on the actor.
  package func take() -> Taken { pending.take() }

  /// Finds what is new at once.
  ///
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  package func collect(evaluates: Bool = true) { pending.collect(evaluates: evaluates) }

  /// Holds back what is new until ``resume()``, which delivers it, also what the actor itself wrote.
  package func pause() {
    token.pause()
    pending.pause()
  }

  package func resume() {
    token.resume()
    pending.resume()
    // A token does not go on after the end, which is still to be published.
    if engine.isClosed { pending.collectEvaluated() }
  }

  package func stop() { token.invalidate() }
}
