/// Detaches its cursor when it is released.
package final class CursorHandle: Sendable {
  let engine: LiveEngine
  let id: UInt64

  init(engine: LiveEngine, id: UInt64) {
    self.engine = engine
    self.id = id
  }

  deinit { engine.detach(id) }

  package func poll() -> CursorStep { engine.poll(id).step }
  /// What is new, and whether all of it was written by the cursor's own actor.
  func pollWithOwnership(evaluates: Bool) -> (step: CursorStep, isOwn: Bool) {
    engine.poll(id, evaluates: evaluates)
  }
  /// Puts a cursor that starts from a state there, and takes no step.
  package func attach() { _ = engine.poll(id, attaches: true) }
  /// Undoes the last step, nothing of which was delivered; false where an excluded commit has moved on from there.
  func rewind() -> Bool { engine.rewind(id) }
  /// Ends what is evaluated for this cursor alone: its observer wants nothing any more.
  func abandon() { engine.abandon(id) }
  func wait() async { await engine.wait(id) }
}
