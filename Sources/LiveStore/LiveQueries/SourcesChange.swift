/// The event of an observer of several sources, all of them at one version.
public enum SourcesChange<Values: Sendable, Changes: Sendable>: Sendable {
  /// The first event: every source's value.
  case initial(Values)
  /// Something changed: every source's change, empty for sources that did not change. An empty change has the
  /// newest results and an empty change set, or a value that is old and new at once
  /// (`.change(old: 3, new: 3)`).
  case update(Changes)
  /// The last event: the reason why no more follow.
  case error(StoreError)
}
