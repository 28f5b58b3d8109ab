import Dispatch
import Synchronization

/// Which models live on which actor, so that a write can update those of the actor that made it.
///
/// State: `modelsByActor`, guarded by its mutex, under which no other code runs; `count`, the number of
/// models, saves writers of stores without models the look-up; `isMainActorElsewhere`, whether the main actor
/// was met off the main queue.
package final class ModelRegistry: Sendable {
  /// A model, as a write sees it; both closures are called on the model's actor (M1).
  package struct Model: Sendable {
    /// Collects the model's pending changes.
    let collect: @Sendable () -> Void
    /// Makes the model publish the collected changes.
    let publish: @Sendable () -> Void

    package init(collect: @escaping @Sendable () -> Void, publish: @escaping @Sendable () -> Void) {
      (self.collect, self.publish) = (collect, publish)
    }
  }

  private struct ActorModels {
    let actor: WeakActor
    var models: [UInt64: Model] = [:]
  }

  private let modelsByActor = Mutex<[ObjectIdentifier: ActorModels]>([:])
  private let count = Atomic(0)
  private let isOnMainQueue: @Sendable () -> Bool
  private let isMainActorElsewhere = Atomic(false)

  /// - Parameter isOnMainQueue: whether the caller runs on the main queue.
  package init(isOnMainQueue: @escaping @Sendable () -> Bool) { self.isOnMainQueue = isOnMainQueue }

  convenience init() { self.init(isOnMainQueue: { MainQueue.isCurrent }) }

  /// Adds a model; to be called on its actor.
  package func add(_ model: Model, _ id: UInt64, on actor: any Actor) {
    if actor === MainActor.shared, !isOnMainQueue() { isMainActorElsewhere.store(true, ordering: .relaxed) }
    let actorID = ObjectIdentifier(actor)
    let replaced = modelsByActor.withLock { modelsByActor in
      // The identifier may belong to an actor that was deallocated.
      let replaced = modelsByActor[actorID].flatMap { $0.actor.actor === actor ? nil : $0 }
      if replaced != nil || modelsByActor[actorID] == nil {
        modelsByActor[actorID] = ActorModels(actor: WeakActor(actor))
      }
      modelsByActor[actorID]?.models[id] = model
      return replaced
    }
    count.add(1, ordering: .relaxed)
    withExtendedLifetime(replaced) {}
  }

  func remove(_ id: UInt64, of actorID: ObjectIdentifier) {
    let removed = modelsByActor.withLock { modelsByActor in
      let removed = modelsByActor[actorID]?.models.removeValue(forKey: id)
      if modelsByActor[actorID]?.models.isEmpty == true { modelsByActor[actorID] = nil }
      return removed
    }
    count.subtract(1, ordering: .relaxed)
    withExtendedLifetime(removed) {}
  }

  /// The actor that a write is called on, if it has models.
  ///
  /// - Parameter isolation: the caller's isolation as the compiler knows it. Synchronous code that is isolated to
  ///   nothing may still run on the main actor.
  package func writer(_ isolation: (any Actor)?) -> (any Actor)? {
    if count.load(ordering: .relaxed) == 0 { return nil }
    guard let actor = isolation ?? (isOnMainActor ? MainActor.shared : nil) else { return nil }
    return modelsByActor.withLock { $0[ObjectIdentifier(actor)]?.actor.actor === actor } ? actor : nil
  }

  /// Whether the caller, which is isolated to nothing, runs on the main actor.
  ///
  /// The actor's executor answers if it can. The system's executor may not be able to, but it runs on the
  /// main queue. A custom executor need not: once a model was made on the main actor and off the main queue,
  /// the queue proves nothing.
  private var isOnMainActor: Bool {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
      let isIsolating = MainActor.sharedUnownedExecutor.asSerialExecutor()?.isIsolatingCurrentContext()
    {
      return isIsolating
    }
    return isOnMainQueue() && !isMainActorElsewhere.load(ordering: .relaxed)
  }

  /// Updates the models of an actor to all that is committed; to be called on the actor (M3).
  ///
  /// All models collect before the first one publishes, since its readers may write. A model is not skipped
  /// because its cursor is not marked: its delivery may have taken the step and not merged it yet.
  /// - Complexity: that of upkeep, and of a change set for each model.
  func update(on actor: any Actor) {
    let models = modelsByActor.withLock { modelsByActor in
      modelsByActor[ObjectIdentifier(actor)].map { known in
        known.actor.actor === actor ? known.models.sorted { $0.key < $1.key }.map(\.value) : []
      } ?? []
    }
    for model in models { model.collect() }
    for model in models { model.publish() }
  }
}

/// The main queue, on which the main actor runs unless the process has an executor of its own for it.
private enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue. On Linux the thread proves nothing: others may serve it.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
