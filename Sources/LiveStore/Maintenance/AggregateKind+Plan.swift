extension AggregateKind {
  /// The stages that serve the aggregate, and the grouping of their rows.
  func plan<Element: Entity, Key: Hashable & Sendable>(
    _ query: Query<Element>, by key: GroupKey<Key>
  ) -> (stages: [QueryStage], grouping: Grouping) {
    var orders: [[SortKey]] = []
    let keys = key.source.map { [$0.sortKey] } ?? []
    // Groups of keys without an order stand in the order of their first rows.
    if let source = key.source, source.rule.order == nil { orders.append(keys) }
    if case .extreme(_, let order, _, _) = function { orders.append(keys + [order]) }
    let form = Grouping.Form(key: key.source?.path, kind: kind, value: path)
    let grouping = Grouping(form: form, named: (key.source?.named ?? []) + named) { [function] in
      GroupTable(GroupRule(key, function))
    }
    return (query.stages(groupedIn: orders), grouping)
  }
}
