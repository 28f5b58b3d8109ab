extension Query {
  /// The stages that give the grouped rows, in the order that the groups need.
  ///
  /// The order within groups does not matter, so the last stage has the order of the groups, unless its window needs
  /// its own (G5).
  /// - Parameter orders: the orders of stages over the query's rows.
  func stages(groupedIn orders: [[SortKey]]) -> [QueryStage] {
    var stages = stages
    var orders = orders[...]
    let last = stages.count - 1
    if stages[last].offset == 0 && stages[last].limit == nil {
      stages[last].order = RowOrder(keys: orders.popFirst() ?? [])
      stages[last].inheritsOrder = false
      stages[last].hasWindow = false
    }
    return stages + orders.map { QueryStage(order: RowOrder(keys: $0)) }
  }
}
