/// Filter or distinct, and the order after it, where their types may be inconsistent.
///
/// Keeps, takes in and gives out the same as these operators.
/// Why it is right: it does the same as these operators, after it has checked that
/// - the tree has an entry for a row before the step exactly if the row passed,
/// - the two entries that become neighbours when one leaves are in order, and
/// - a row that passes can be routed to the query, so that the query is notified when the row leaves.
///
/// - Complexity: one search more for each row.
package struct CheckedOrderOperator<Input: IncrementalOperator, Placement: RowPlacement>: IncrementalOperator
{
  let input: Input
  let order: OrderOperator<Placement>
  /// The routes by which a filter's values can find the query, one of which is used.
  let routes: [Router.Route]

  package init(input: Input, order: OrderOperator<Placement>, routes: [Router.Route]) {
    self.input = input
    self.order = order
    self.routes = routes
  }

  package func apply(_ changes: [RowChange], _ step: inout UpkeepStep) throws(NeedsRebuild) -> [RowChange] {
    let passing = try input.apply(changes, &step)
    var tree = step.after.trees[order.slot]
    try checkAbsence(of: changes, passing, in: tree, step)
    if passing.isEmpty { return passing }
    var arriving: [RowChange] = []
    for row in passing {
      if let before = row.old {
        guard let rank = order.rank(of: row, before, in: tree, step) else { throw .inconsistent }
        if try order.stays(row, before, in: &tree, step) { continue }
        if let keys = order.placement.orderToCheck, !tree.isOrdered(by: keys, at: rank, step.old) {
          throw .inconsistent
        }
      }
      if row.new != nil { arriving.append(row) }
    }
    for row in arriving { try order.insert(row, into: &tree, step) }
    step.after.trees[order.slot] = tree
    if !routes.isEmpty && step.isRoutable { step.isRoutable = areRoutable(passing, step) }
    return passing
  }

  /// Checks that the tree has no entry of a row that did not pass before the step.
  private func checkAbsence(
    of changes: [RowChange], _ passing: [RowChange], in tree: Tree, _ step: UpkeepStep
  ) throws(NeedsRebuild) {
    // Most steps are of few rows, for which a set would cost more than it saves.
    let passed = passing.count > 8 ? Set(passing.lazy.filter { $0.old != nil }.map(\.row)) : nil
    func hasPassed(_ row: UInt64) -> Bool {
      passed?.contains(row) ?? passing.contains { $0.row == row && $0.old != nil }
    }
    for row in changes {
      guard let before = row.old, !hasPassed(row.row) else { continue }
      if order.rank(of: row, before, in: tree, step) != nil { throw .inconsistent }
    }
  }

  private func areRoutable(_ rows: [RowChange], _ step: UpkeepStep) -> Bool {
    rows.allSatisfy { row in
      guard let after = row.new else { return true }
      return routes.allSatisfy { $0.leads(from: after, step.new.context) }
    }
  }
}
