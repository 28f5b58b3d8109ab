extension AggregateKind {
  /// The stages that serve it, and the grouping of their rows.
  func plan<Element: Entity, Key: Hashable & Sendable>(
    _ query: Query<Element>, by key: KeySource<Key>?, whole: Key?
  ) -> (stages: [QueryStage], grouping: Grouping) {
    var orders: [[SortKey]] = []
    let keys = key.map { [$0.sortKey] } ?? []
    // Groups of keys without an order stand in the order of their first rows.
    if let key, key.rule.order == nil { orders.append(keys) }
    let rule: GroupRule<Key, Value>.Content
    switch content {
    case .sums(let add, let value): rule = .sums(add: add, value: value)
    case .extreme(let isLast, let sortKey, let isNil, let value):
      orders.append(keys + [sortKey])
      rule = .extreme(isLast: isLast, isNil: isNil, value: value)
    }
    let form = Grouping.Form(key: key?.path, kind: kind, value: path)
    let operands = [key?.operand, operand].compactMap(\.self)
    let grouping = Grouping(form: form, operands: operands) {
      GroupTable(GroupRule(key, whole: whole, rule))
    }
    return (query.stages(groupedIn: orders), grouping)
  }
}
