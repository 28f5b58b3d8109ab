/// A stored property's functions for queries, made once: making them takes longer than a small query.
final class StoredProperty<Value>: Sendable {
  let path: Term
  let accessor: Accessor<Value>
  let values: ComparedValues<Value>
  /// The keys of a sort by it; nil for values without an order.
  private let ascending: SortKey?
  private let descending: SortKey?

  /// Nil for a key path that does not lead to a stored property.
  init?<Root>(_ keyPath: SendableKeyPath<Root, Value>, _ path: Term) {
    accessor = Accessor(keyPath)
    guard case .offset = accessor else { return nil }
    self.path = path
    values = ComparedValues(path, accessor)
    let expr = Expr(source: .path(path), accessor: accessor)
    ascending = SortKey(expr, .ascending)
    descending = SortKey(expr, .descending)
  }

  func sortKey(_ order: SortDirection) -> SortKey? { order == .ascending ? ascending : descending }
}

extension Expr {
  /// The values as conditions compare them.
  ///
  /// - Parameter path: the path of the expression.
  func compared(at path: Term) -> ComparedValues<Value> {
    property?.values ?? ComparedValues(path, accessor)
  }
}
