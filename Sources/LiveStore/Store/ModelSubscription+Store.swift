extension ModelSubscription {
  /// Prepares to follow; nothing is found in the background before ``begin()``.
  ///
  /// - Parameters:
  ///   - previous: another subscription, whose value the first value of this one replaces; its results stay
  ///     maintained until then.
  ///   - actor: the actor that reads the value; held weakly.
  ///   - onUpdate: called on the actor when there may be an update to take.
  package convenience init(
    _ store: Store, _ sources: ModelSources<Value, Change>, replacing previous: ModelSubscription? = nil,
    on actor: any Actor, _ site: ObserverSite, onUpdate: @escaping @Sendable () -> Void
  ) {
    self.init(store.engine, sources, replacing: previous, on: actor, site, onUpdate: onUpdate)
  }
}
