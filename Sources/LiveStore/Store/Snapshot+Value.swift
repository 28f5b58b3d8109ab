extension Snapshot {
  /// The value of any source at this version: groups, sections, an aggregate, a count, an object.
  ///
  /// ```swift
  /// let likes = snapshot.value(of: Post.all.sum(\.likeCount))
  /// let counts = snapshot.value(of: Post.all.grouped(by: \.status).count)
  /// ```
  /// If the filter exceeds a limit there are no rows. Results, sections and groups say so in `error`;
  /// aggregates and counts have their value for no rows.
  /// - Complexity: that of fetching the query; for groups and sections O(*m*) for *m* rows when nothing must be
  ///   sorted, else O(*m* log *m*): for sections, extremes and keys without an order.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    return definition.direct?(state.context) ?? definition.value(definition.query.evaluate(at: state))
  }
}

extension WriteTransaction {
  /// The value of any source now, including what this transaction has written; later writes do not change it.
  ///
  /// - Complexity: as ``Snapshot/value(of:)``.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    if state.trace == nil, let value = definition.direct?(state.context) { return value }
    let side = definition.query.evaluate(at: state.asState)
    state.trace?.read(source, side)
    return definition.value(side)
  }
}

extension ObservedQuery {
  /// The value that an observer would read.
  func evaluate(at state: StoreState) -> ResultSide {
    guard let table = state.catalog.index(of: type) else {
      let window = ResultWindow.ofUnknownEntity(type)
      return grouping.map { $0.resultOperator.side(of: $0.makeTable(), state, window) }
        ?? ResultSide(state, window)
    }
    guard let grouping else { return ResultSide(state, state.context.evaluate(stages, table)) }
    if let side = grouping.side(ofFolding: stages, table, state) { return side }
    let trees = MaintainedTrees(stages, table, grouping, at: state, isAbandoned: stages.isAbandoned)
    return trees.failure == nil
      ? trees.side(state, last) : grouping.side(ofNoRowsIn: table, state, trees.failure)
  }
}

extension TransactionTrace {
  /// Records a read of a source's value.
  func read<Source: LiveSource>(_ source: Source, _ side: ResultSide) {
    let definition = source.liveDefinition
    read { (state) throws(StoreError) in
      let now = definition.query.evaluate(at: state.asState)
      let isSame = definition.change(side, now) == nil
      if isSame, side.window.failure == now.window.failure { return }
      throw StoreError(
        StoreError.conflict,
        "Another writer changed a value of \(definition.query.type), on which the transaction depends. Retry the transaction.",
        entity: "\(definition.query.type)")
    }
  }
}
