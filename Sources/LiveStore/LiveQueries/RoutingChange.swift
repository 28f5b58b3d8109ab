/// A change in what routing has to know.
enum RoutingChange: Sendable {
  /// - Parameters:
  ///   - isRoutable: whether the values of rows lead to it.
  ///   - isNew: whether routing does not know it yet.
  case insert(MaintainedQuery, isRoutable: Bool, isNew: Bool)
  /// Holds the query, so that it is freed by the caller that took the change, outside the lock.
  case remove(MaintainedQuery)
}
