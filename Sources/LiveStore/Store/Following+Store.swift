extension Following {
  /// Prepares to follow; nothing is found in the background before ``begin()``.
  ///
  /// - Parameters:
  ///   - previous: another following, whose value this one's first replaces; its results stay maintained
  ///     until then.
  ///   - actor: where the value is kept; held weakly.
  ///   - onNews: called there when there may be something to take.
  package convenience init(
    _ store: Store, _ sources: FollowedSources<Value, Change>, replacing previous: Following? = nil,
    on actor: any Actor, onNews: @escaping @Sendable () -> Void
  ) {
    self.init(store.engine, sources, replacing: previous, on: actor, onNews: onNews)
  }
}
