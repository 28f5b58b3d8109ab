/// Ids in the order in which they were inserted first. That is mostly the order in which their objects lie in the store, where
/// they are deleted faster in it than in the order of a set.
package struct OrderedIDs<ID: Hashable> {
  private var ids: Set<ID> = []
  /// The ids, and others that were removed since, of which there are not many more.
  private var order: [ID] = []

  package init() {}

  package var isEmpty: Bool { ids.isEmpty }

  package func contains(_ id: ID) -> Bool { ids.contains(id) }

  package mutating func insert(_ id: ID) {
    if ids.insert(id).inserted { order.append(id) }
  }

  /// - Returns: whether it was there.
  /// - Complexity: O(1), amortised
  package mutating func remove(_ id: ID) -> Bool {
    guard ids.remove(id) != nil else { return false }
    if order.count > 2 * ids.count + 64 { order = elements }
    return true
  }

  /// The ids in their order.
  package var elements: [ID] {
    if order.count == ids.count { return order }
    var rest = ids
    return order.filter { rest.remove($0) != nil }
  }

  /// How many ids take memory for their order.
  package var orderCount: Int { order.count }
}
