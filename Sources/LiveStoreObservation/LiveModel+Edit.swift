public import LiveStore

extension LiveModel {
  /// Writes with the model's origin. When this returns, every model of this store on this actor shows the edit, with
  /// a `lastChange` of nil.
  ///
  /// Waits for earlier writers, like a blocking `write`. Call it on the model's actor.
  /// - Parameter body: what to write.
  /// - Returns: what the body returns.
  /// - Throws: whatever the body throws, unchanged, and the errors of a blocking `write`; then nothing changed.
  @discardableResult
  public func edit<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
    try store.write(origin: origin, on: actor, body)
  }

  /// The same for a body without a result. Its last line may be any call, such as a deletion.
  public func edit(_ body: (inout WriteTransaction) throws -> Void) throws {
    try store.write(origin: origin, on: actor, body)
  }
}
