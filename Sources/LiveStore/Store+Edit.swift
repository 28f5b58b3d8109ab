import Synchronization

extension Store {
  /// Writes as the user of an interface does: when this returns, every model of this store on the actor shows
  /// the edit, and those of its origin do not tell of it as a change.
  ///
  /// What others have written is found before the body runs, and the edit before the next writer's turn, so
  /// that each is told apart exactly; models are told of both after the turn is over.
  /// - Parameter actor: the one this is called on.
  /// - Throws: as the blocking form of `write`.
  /// - Complexity: that of the write, and for each model on the actor that of a change set.
  package func edit<Result>(
    origin: String, on actor: (any Actor)?,
    _ body: (borrowing WriteTransaction) throws -> Result
  ) throws -> Result {
    let models = actor.map { engine.models(on: $0) } ?? []
    defer { for model in models { model.announce() } }
    guard gate.claimBlocking() else { throw Self.nestedWriteError() }
    defer { gate.release() }
    for model in models { model.beginEdit(origin) }
    defer { for model in models { model.endEdit() } }
    return try commit(origin, body)
  }
}

extension LiveEngine {
  /// Someone who keeps a newest value on an actor.
  struct Model: Sendable {
    let actor: WeakActor
    /// Finds what others wrote; from now on what is found is an edit of this origin.
    let beginEdit: @Sendable (_ origin: String) -> Void
    /// Finds the edit.
    let endEdit: @Sendable () -> Void
    /// Has it taken; called on the actor.
    let announce: @Sendable () -> Void
  }

  func addModel(_ model: Model) -> UInt64 {
    let id = state.withLock { $0.makeID() }
    models.withLock { $0[id] = model }
    return id
  }

  func removeModel(_ id: UInt64) {
    let model = models.withLock { $0.removeValue(forKey: id) }
    withExtendedLifetime(model) {}
  }

  /// The models of an actor, in the order they were made.
  func models(on actor: any Actor) -> [Model] {
    models.withLock { $0.filter { $0.value.actor.actor === actor } }
      .sorted { $0.key < $1.key }.map(\.value)
  }
}
