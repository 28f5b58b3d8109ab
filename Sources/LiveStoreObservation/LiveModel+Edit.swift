public import LiveStore

extension LiveModel {
  /// Writes by the model's origin. When this returns, every model of this store on this actor shows the edit, and
  /// none tells of it as a change.
  ///
  /// Waits for the writers before it, as a blocking `write`. To be called on the model's actor.
  /// - Parameter body: what to write.
  /// - Returns: what the body returns.
  /// - Throws: whatever the body throws, unchanged, and what a blocking `write` does; then nothing changed.
  @discardableResult
  public func edit<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
    try store.write(origin: origin, on: actor, body)
  }

  /// The same, where nothing is to be given back: the last line may be any, such as a deletion.
  public func edit(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: origin, on: actor, body)
  }
}
