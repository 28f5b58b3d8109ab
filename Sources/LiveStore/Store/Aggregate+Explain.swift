extension SectionedQuery {
  /// How the rows would be found in a snapshot, in one line; see ``Query/explain(in:)``.
  public func explain(in snapshot: Snapshot) -> String {
    "\(query.explain(in: snapshot)), in sections by \(key.path)"
  }
}

extension GroupAggregate {
  /// How the grouped rows would be found in a snapshot, in one line; see ``Query/explain(in:)``.
  public func explain(in snapshot: Snapshot) -> String {
    "\(groups.query.explain(in: snapshot)), grouped by \(groups.key.path)\(kind.text)"
  }
}

extension Aggregate {
  /// How the value would be found in a snapshot, in one line; see ``Query/explain(in:)``.
  ///
  /// The least and the greatest value of an indexed property are read at an end of its index: `end of index
  /// Post.likeCount`. That serves all rows, and a filter that is a range of the same index.
  public func explain(in snapshot: Snapshot) -> String {
    if let index = snapshot.state.context.indexOfExtreme(self) { return "end of \(index)\(kind.text)" }
    return "\(query.explain(in: snapshot)), then\(kind.text)"
  }
}

extension Count {
  /// How the rows would be counted in a snapshot, in one line; see ``Query/explain(in:)``.
  ///
  /// Where ranges of an index have exactly the rows of a filter, or exactly all others, their ends are all that is
  /// read: `ranks in index Post.likeCount`.
  public func explain(in snapshot: Snapshot) -> String {
    if let index = snapshot.state.context.indexOfCount(query) { return "ranks in \(index)" }
    return "\(query.explain(in: snapshot)), counted"
  }
}

extension ReadContext {
  /// The index whose ranges count the rows of a query.
  func indexOfCount<Element: Entity>(_ query: Query<Element>) -> String? {
    guard let table = catalog.index(of: Element.self), query.stages.count == 1, query.stages[0].source == nil
    else { return nil }
    let (finder, filter) = (PlanFinder(table, self), query.stages[0].filter)
    let use = finder.exactUse(filter) ?? finder.exactUse(filter.complement)
    return use.map { finder.info.name(finder.info.indexes[$0.index]) }
  }

  /// The index at an end of which the value of an aggregate is.
  fileprivate func indexOfExtreme<Element: Entity, Value>(_ aggregate: Aggregate<Element, Value>) -> String? {
    guard let table = catalog.index(of: Element.self), aggregate.indexedValue(in: self) != nil,
      case .extreme(_, let key, _, _) = aggregate.kind.function
    else { return nil }
    let stage = aggregate.query.stages[0].ordered(by: key)
    let finder = PlanFinder(table, self)
    return finder.ordering(stage).map { finder.info.name(finder.info.indexes[$0.index]) }
  }
}
