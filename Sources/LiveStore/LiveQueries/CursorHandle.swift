/// Detaches its cursor when it is released.
package final class CursorHandle: EventCursor {
  let engine: LiveEngine
  let subscriber: UInt64

  init(engine: LiveEngine, id: UInt64) {
    self.engine = engine
    subscriber = id
  }

  deinit { engine.detach(subscriber) }

  package func poll() -> PollResult<CursorStep> { engine.poll(subscriber) }
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  func poll(evaluates: Bool) -> PollResult<CursorStep> { engine.poll(subscriber, evaluates: evaluates) }
  /// Puts a cursor that starts from a state there, and takes no step.
  package func attach() { _ = engine.poll(subscriber, attaches: true) }
  /// Undoes the last step, nothing of which was delivered; false where an excluded commit has moved on from there.
  func rewind() -> Bool { engine.rewind(subscriber) }
  /// Ends what is evaluated for this cursor alone: its observer wants nothing any more.
  func abandon() { engine.abandon(subscriber) }
}
