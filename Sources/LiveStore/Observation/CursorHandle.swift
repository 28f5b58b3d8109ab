/// Detaches its cursor when it is released.
final class CursorHandle: Sendable {
  let engine: LiveEngine
  let id: UInt64

  init(engine: LiveEngine, id: UInt64) {
    self.engine = engine
    self.id = id
  }

  deinit { engine.detach(id) }

  func poll(evaluates: Bool = true) -> CursorStep { engine.poll(id, evaluates: evaluates) }
  /// What is new, and whether all of it was written by the cursor's own actor.
  func pollNews(evaluates: Bool) -> (step: CursorStep, isOwn: Bool) {
    engine.pollNews(id, evaluates: evaluates)
  }
  /// Puts a cursor that starts from a state there, and takes no step.
  func attach() { engine.poll(id, attaches: true) }
  func stepBack() -> Bool { engine.stepBack(id) }
  func wait() async { await engine.wait(id) }
}
