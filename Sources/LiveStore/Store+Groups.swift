/// What an observer of several sources is told, all of them at one version.
public enum GroupChange<Values: Sendable, Changes: Sendable>: Sendable {
  /// The first event: every member's value.
  case initial(Values)
  /// Something changed: every member's change, empty for those that did not.
  case update(Changes)
  /// The last event: why there will be no more.
  case error(StoreError)
}

extension Store {
  /// The changes of several sources, always at one version.
  ///
  /// ```swift
  /// for await change in store.changes(of: drafts, published, published.count) {
  ///   switch change {
  ///   case .initial((let drafts, let published, let count)): …
  ///   case .update((let drafts, let published, let count)): …
  ///   case .error(let error): …
  ///   }
  /// }
  /// ```
  public func changes<First: LiveSource, Second: LiveSource, each Other: LiveSource>(
    of first: First, _ second: Second, _ others: repeat each Other
  ) -> LiveChanges<
    GroupChange<
      (First.Value, Second.Value, repeat (each Other).Value),
      (First.Change, Second.Change, repeat (each Other).Change)
    >
  > {
    typealias Values = (First.Value, Second.Value, repeat (each Other).Value)
    typealias Changes = (First.Change, Second.Change, repeat (each Other).Change)
    let (one, two) = (first.liveDefinition, second.liveDefinition)
    let rest = (repeat (each others).liveDefinition)
    return LiveChanges {
      var queries = [one.query, two.query]
      for member in repeat each rest { queries.append(member.query) }
      let handle = self.engine.makeCursor(queries, excluding: [])
      return Feed(handle, failure: { .error($0) }) { step in
        var index = 0
        func next() -> Int {
          defer { index += 1 }
          return index
        }
        switch step {
        case .initial(let sides):
          func value<V, C>(_ member: LiveDefinition<V, C>) -> V { member.value(sides[next()]) }
          return GroupChange<Values, Changes>.initial((value(one), value(two), repeat value(each rest)))
        case .update(let sides):
          let isChanged = Flag()
          func change<V, C>(_ member: LiveDefinition<V, C>) -> C {
            let side = sides[next()]
            guard let change = member.change(side.old, side.new) else { return member.unchanged(side.new) }
            isChanged.set()
            return change
          }
          let changes = (change(one), change(two), repeat change(each rest))
          return isChanged.value ? GroupChange<Values, Changes>.update(changes) : nil
        case .none, .ended, .failed:
          return nil
        }
      }
    }
  }
}
