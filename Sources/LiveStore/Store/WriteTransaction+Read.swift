extension WriteTransaction: StoreReader {
  /// The value of any source, including what this transaction has written.
  public func value<Source: LiveSource>(of source: Source) -> Source.Value {
    let definition = source.liveDefinition
    if state.trace == nil, let value = definition.direct?(state.context) { return value }
    let side = definition.query.evaluate(at: state.asState)
    state.trace?.read(source, side)
    return definition.value(side)
  }

  /// A page of a query's rows, including what this transaction has written.
  public func page<Element: Entity>(
    of query: Query<Element>, after cursor: PageCursor? = nil, first count: Int
  ) throws(StoreError) -> ResultPage<Element> {
    if let trace = state.trace { trace.read(query, state.results(of: query)) }
    let frozen = state.asState
    return try frozen.context.page(
      of: query, after: cursor, first: count, in: frozen, transaction: state.identity)
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
