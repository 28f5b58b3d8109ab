extension Snapshot {
  /// What anything that can be observed is at this version: groups, sections, an aggregate, a count, an object.
  ///
  /// ```swift
  /// let likes = snapshot.value(of: Post.all.sum(\.likeCount))
  /// let counts = snapshot.value(of: Post.all.grouped(by: \.status).count)
  /// ```
  /// Objects that a predicate of the query throws for are left out; results, sections and groups have the error in
  /// `error`, aggregates and counts do not.
  /// - Complexity: as to fetch the query; of groups and sections, O(*m*) for *m* rows where nothing has to be
  ///   sorted, and O(*m* log *m*) where it has: for sections, extremes and keys without an order.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    return definition.value(definition.query.evaluate(at: state))
  }
}

extension WriteTransaction {
  /// What anything that can be observed is now, with all that was written so far; pinned, so later writes do
  /// not change it.
  ///
  /// - Complexity: as ``Snapshot/value(of:)``.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    let side = definition.query.evaluate(at: state.asState)
    state.trace?.read(source, side)
    return definition.value(side)
  }
}

extension ObservedQuery {
  /// What an observer would read.
  func evaluate(at state: StoreState) -> ResultSide {
    guard let table = state.catalog.index(of: type) else {
      let window = ResultWindow.ofUnknownEntity(type)
      return grouping?.makeTable().side(state, window, version: nil) ?? ResultSide(state, window)
    }
    if grouping == nil { return ResultSide(state, state.context.evaluate(stages, table)) }
    return MaintainedTrees(stages, table, grouping, at: state).side(state, last)
  }
}

extension TransactionTrace {
  /// The value of something that can be observed was read.
  func read<Source: LiveSource>(_ source: Source, _ side: ResultSide) {
    let definition = source.liveDefinition
    read { (state) throws(StoreError) in
      let now = definition.query.evaluate(at: state.asState)
      let isSame = definition.change(side, now) == nil
      if isSame, side.window.failures?.error == now.window.failures?.error { return }
      throw StoreError(
        StoreError.conflict,
        "What was read of \(definition.query.type) was changed by somebody else during the transaction. Try it again.",
        entity: "\(definition.query.type)")
    }
  }
}
