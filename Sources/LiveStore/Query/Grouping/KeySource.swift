/// How the key of a row is read: by an expression, or by a closure.
struct KeySource<Key: Sendable>: Sendable {
  let path: Term
  let accessor: Accessor<Key>
  /// The values read over links that it names.
  let named: [NamedValue]
  let rule = KeyRule<Key>()

  init(_ expr: Expr<Key>) {
    (path, accessor, named) = (expr.term, expr.accessor, expr.named)
  }

  init<Element: Entity>(closure: @escaping @Sendable (Element) -> Key) {
    path = .closure()
    named = []
    // Rows of this entity's table hold Elements.
    accessor = .function { row, _ in closure(row.object(as: Element.self).pointee) }
  }

  /// The key in a query's description.
  var text: String {
    if case .closure = path { return path.description }
    return "\\.\(path)"
  }

  var sortKey: SortKey { SortKey(path: path, accessor, rule, named: named) }
}

extension KeySource: Hashable {
  static func == (lhs: KeySource, rhs: KeySource) -> Bool { lhs.path == rhs.path }
  func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
