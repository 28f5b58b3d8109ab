import Synchronization

/// Decides which differences are events for an observer.
///
/// An observer of some properties gets the difference from its last event, in which other properties may
/// differ, too. The filter remembers the newest result without an event and compares the next one with that
/// first, so that commits without an event cost only their own changes, and not those of all commits before.
/// With excluded origins it does not, since these move the position from which differences are taken.
///
/// State: `seen`, touched by one consumer at a time.
final class EventFilter<Value: Sendable, Change: Sendable>: Sendable {
  let definition: LiveDefinition<Value, Change>
  private let looksAhead: Bool
  private let seen = Mutex<ResultSide?>(nil)

  init(_ definition: LiveDefinition<Value, Change>, excluding origins: Set<String> = []) {
    self.definition = definition
    looksAhead = definition.accumulates && origins.isEmpty
  }

  /// The event of a difference; nil where there is nothing to deliver.
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
