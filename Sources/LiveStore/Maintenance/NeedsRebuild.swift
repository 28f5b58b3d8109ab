// Consistent ordering.
//
// Trees rely on the `<`, `==` and hashes of users' types. Where these are inconsistent, a search may miss an entry that
// is there, and a tree may keep an entry of a deleted row. All of that ends in one error, `NeedsRebuild`: the chain
// stops, and its trees are evaluated again from the tables (L8).
//
// An operator throws it wherever a search does not find an entry that must be there, whatever the types are. Types of
// the standard library and of Foundation are known to be consistent. For all others the planner takes a
// `CheckedOrderOperator`, which also checks what no edit would notice.
//
// An evaluation may find that its rows have no consistent order. Then the trees are as good as any, and the next step
// evaluates them again.

/// Why the trees of a chain are evaluated again instead of being kept up to date.
package enum NeedsRebuild: Error {
  /// A filter, an order, a key or a hash was inconsistent.
  case inconsistent
  /// So many rows changed that an evaluation costs less.
  case mostRowsChanged
}

extension Tree {
  /// Whether all entries of a stage's tree stand in the order of their values.
  ///
  /// - Complexity: O(1) for an order that is known to be consistent, otherwise O(*m*).
  func isOrdered(by order: RowOrder, _ side: StepSide) -> Bool {
    if order.isConsistent { return true }
    return (1..<max(1, count)).allSatisfy { isOrdered(by: order, at: $0, side) }
  }

  /// Whether the entry at a rank does not belong before the one that precedes it.
  func isOrdered(by order: RowOrder, at rank: Int, _ side: StepSide) -> Bool {
    guard rank > 0, rank < count else { return true }
    let (previous, next) = (entry(at: rank - 1).key, entry(at: rank).key)
    if previous.first != next.first { return previous.first < next.first }
    let result = order.compare(
      side.object(layout.row(previous.second)), side.context,
      side.object(layout.row(next.second)), side.context)
    return result <= 0
  }

  /// Whether all rows of a stage's tree can be routed to the query.
  ///
  /// - Parameter routes: how the values of an inconsistent filter can find the query; none if it is consistent.
  /// - Complexity: O(1) without routes, otherwise O(*m*).
  func isRoutable(by routes: [Router.Route], _ side: StepSide) -> Bool {
    if routes.isEmpty { return true }
    var cursor = TreeCursor(self)
    while let entry = cursor.next() {
      let object = side.object(layout.order == .first ? entry.key.first : layout.row(entry.key.second))
      if !routes.allSatisfy({ $0.leads(from: object, side.context) }) { return false }
    }
    return true
  }
}

extension Router.Route {
  /// The routes of a filter that may be inconsistent, one of which finds its query; none for another filter.
  ///
  /// Equal values may have different hashes there. If such a filter passed a row that cannot be routed to the query,
  /// the query would not be notified when that row leaves.
  static func toCheck(_ filter: ConditionTree) -> [Router.Route] {
    filter.isConsistent ? [] : routes(filter)
  }

  /// Whether the value of a row leads to a query that is found by this route.
  func leads(from row: UnsafeRawPointer, _ context: ReadContext) -> Bool {
    guard case .hashes(_, let hashes, let each) = self else { return true }
    var isFound = false
    each(row, context) { if hashes.contains($0) { isFound = true } }
    return isFound
  }
}
