/// The event of an observer of several sources, all of them at one version.
public enum SourcesChange<Values: Sendable, Changes: Sendable>: Sendable {
  /// The first event: every source's value.
  case initial(Values)
  /// Something changed: every source's change, empty for those that did not. An empty one has the results as they are
  /// and an empty change set, or a value that is old and new at once (`.change(old: 3, new: 3)`).
  case update(Changes)
  /// The last event: why there will be no more.
  case error(StoreError)
}
