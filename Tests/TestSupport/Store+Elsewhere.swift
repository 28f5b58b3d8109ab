package import LiveStore

extension Store {
  /// Writes on a thread of its own, which is no model's actor, and blocks until that has returned.
  @discardableResult
  package func writeElsewhere<Result: Sendable>(
    origin: String? = nil, _ body: @escaping @Sendable (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    try Worker { [self] in try write(origin: origin, body) }.join()
  }
}
