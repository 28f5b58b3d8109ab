/// How the key of a row is read: by an expression, or by a closure.
struct KeySource<Key: Sendable>: Sendable {
  let path: Term
  let accessor: Accessor<Key>
  /// The operand whose value is the key; nil for a closure.
  let operand: Dependency?
  let rule = KeyRule<Key>()

  init(_ expr: Expr<Key>) {
    // A condition has no path and equals only itself here. That is correct and only means less sharing.
    let operand = Dependency(key: expr)
    (path, accessor, self.operand) = (operand.path, expr.accessor, operand)
  }

  init<Element: Entity>(closure: @escaping @Sendable (Element) -> Key) {
    path = .closure()
    operand = nil
    // Rows of this entity's table hold Elements.
    accessor = .function { row, _ in closure(row.object(as: Element.self).pointee) }
  }

  /// The key in a query's description.
  var text: String {
    if case .closure = path { return path.description }
    return "\\.\(path)"
  }

  var sortKey: SortKey { SortKey(path: path, accessor, rule, operand: operand) }
}

extension KeySource: Hashable {
  static func == (lhs: KeySource, rhs: KeySource) -> Bool { lhs.path == rhs.path }
  func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
