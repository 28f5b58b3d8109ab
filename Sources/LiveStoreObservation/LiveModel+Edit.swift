public import LiveStore

extension LiveModel {
  /// Writes as the user of the interface does: every model of this store on this actor shows the edit when this
  /// returns, and those of the same origin do not tell of it as a change.
  ///
  /// Waits for the writers before it, as a blocking `write`. To be called on the model's actor.
  /// - Throws: whatever the body throws, unchanged, and what a blocking `write` does; then nothing changed.
  @discardableResult
  public func edit<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    try store.edit(origin: origin, on: actor, body)
  }
}
