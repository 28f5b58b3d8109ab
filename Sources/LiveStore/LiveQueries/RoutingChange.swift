/// A change of the queries that routing knows.
enum RoutingChange: Sendable {
  /// - Parameters:
  ///   - isRoutable: whether the values of rows lead to the query.
  ///   - isNew: whether routing does not know the query yet.
  case insert(MaintainedQuery, isRoutable: Bool, isNew: Bool)
  /// Holds the query, so that it is freed by the caller that took the change, outside the lock.
  case remove(MaintainedQuery)
}
