extension ModelSubscription {
  /// Prepares to follow; nothing is found in the background before ``begin()``.
  ///
  /// - Parameters:
  ///   - previous: another subscription, whose value this one's first replaces; its results stay maintained
  ///     until then.
  ///   - actor: where the value is kept; held weakly.
  ///   - onUpdate: called there when there may be something to take.
  package convenience init(
    _ store: Store, _ sources: ModelSources<Value, Change>, replacing previous: ModelSubscription? = nil,
    on actor: any Actor, onUpdate: @escaping @Sendable () -> Void
  ) {
    self.init(store.engine, sources, replacing: previous, on: actor, onUpdate: onUpdate)
  }
}
