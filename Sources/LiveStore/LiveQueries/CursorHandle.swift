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
  /// Moves a cursor that starts from a state to that state, without a step.
  package func attach() { _ = engine.poll(subscriber, attaches: true) }
  /// Undoes the last step, which was not delivered; false if an excluded commit has moved the cursor since.
  func rewind() -> Bool { engine.rewind(subscriber) }
  /// Ends evaluations for this cursor alone: its observer needs no more events.
  func abandon() { engine.abandon(subscriber) }
}
