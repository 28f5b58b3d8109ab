import Synchronization

/// What the steps of a cursor mean to its observer.
///
/// An observer of some properties is told the difference from what it was told last, which others' properties may be
/// part of. Of how far it has looked in vain it takes note: what comes next is compared with that first, so that
/// commits of which nothing is told cost what they changed, and not what all before them did. With excluded origins
/// it does not, since these move the place from which it is told.
///
/// State: how far it has looked, touched by one consumer at a time.
final class EventBuilder<Value: Sendable, Change: Sendable>: Sendable {
  let definition: LiveDefinition<Value, Change>
  private let looksAhead: Bool
  private let seen = Mutex<ResultSide?>(nil)

  init(_ definition: LiveDefinition<Value, Change>, excluding origins: Set<String> = []) {
    self.definition = definition
    looksAhead = definition.keepsUntold && origins.isEmpty
  }

  /// What to tell of a step; nil when it is nothing.
  func event(_ step: CursorStep) -> Change? {
    switch step {
    case .initial(let sides): definition.initial(definition.value(sides[0]))
    case .update(let sides): change(from: sides[0].old, to: sides[0].new)
    case .none, .ended, .failed: nil
    }
  }

  func change(from old: ResultSide, to new: ResultSide) -> Change? {
    guard looksAhead else { return definition.change(old, new) }
    let seen = self.seen.withLock { seen in
      defer { seen = nil }
      return seen
    }
    if let seen, definition.change(seen, new) == nil {
      self.seen.withLock { $0 = new }
      return nil
    }
    let change = definition.change(old, new)
    if change == nil { self.seen.withLock { $0 = new } }
    return change
  }
}
