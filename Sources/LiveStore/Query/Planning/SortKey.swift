/// One key of a query's sort.
package struct SortKey: Hashable, Sendable, CustomStringConvertible {
  package let path: Term
  package let order: SortDirection
  /// The values read over links that it names.
  package let named: [NamedValue]
  /// A row's value in 64 bits, in the direction of the key.
  package let abbreviate: @Sendable (UnsafeRawPointer, ReadContext) -> UInt64
  /// Writes the same for the selected rows of a block.
  let abbreviateBlock: @Sendable (RowBlock, ReadContext, UnsafeMutablePointer<UInt64>) -> Void
  /// Whether equal abbreviations are equal values.
  package let isExact: Bool
  /// Whether the values are known to have a consistent ordering.
  package let isConsistent: Bool
  /// Compares two rows by this key, each read in its own context.
  package let compare: @Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Int
  /// Whether two rows that tie by this key have the same value; nil if they always do.
  package let isSame: (@Sendable (UnsafeRawPointer, ReadContext, UnsafeRawPointer, ReadContext) -> Bool)?

  /// How its values go into a cursor; nil if no page is ordered by it.
  let coder: SortKeyCoder?

  /// An ascending key of values of any hashable type: in their order, or by their hashes if they have none.
  init<Value>(
    path: Term, _ accessor: Accessor<Value>, _ rule: KeyRule<Value>, named: [NamedValue] = []
  ) {
    self.path = path
    self.named = named
    order = .ascending
    isExact = rule.isExact
    isConsistent = rule.order?.isConsistent ?? true
    coder = nil
    abbreviate = { rule.abbreviate(accessor.read($0, $1)) }
    abbreviateBlock = blockAbbreviation(accessor, rule.order, abbreviate)
    compare = { rule.compare(accessor.read($0, $1), accessor.read($2, $3)) }
    if rule.order == nil {
      isSame = { rule.isSame(accessor.read($0, $1), accessor.read($2, $3)) }
    } else {
      isSame = nil
    }
  }

  /// The key of a typed expression; nil if its values have no order, which the public API rules out.
  init?<Value>(_ expr: Expr<Value>, _ sortOrder: SortDirection) {
    if let property = expr.property {
      guard let key = property.sortKey(sortOrder) else { return nil }
      self = key
      return
    }
    guard let order = ValueOrder<Value>.ofType() else { return nil }
    let accessor = expr.accessor
    (path, named) = (expr.term, expr.named)
    self.order = sortOrder
    self.isExact = order.isExact
    isConsistent = order.isConsistent
    isSame = nil
    coder = SortKeyCoder(accessor, order)
    let ascending: @Sendable (UnsafeRawPointer, ReadContext) -> UInt64 = {
      order.abbreviate(accessor.read($0, $1))
    }
    let ascendingBlock = blockAbbreviation(accessor, order, ascending)
    switch sortOrder {
    case .ascending:
      abbreviate = ascending
      abbreviateBlock = ascendingBlock
      compare = { order.compare(accessor.read($0, $1), accessor.read($2, $3)) }
    case .descending:
      abbreviate = { ~ascending($0, $1) }
      abbreviateBlock = { block, context, words in
        ascendingBlock(block, context, words)
        for index in 0..<block.objects.count { words[index] = ~words[index] }
      }
      compare = { order.compare(accessor.read($2, $3), accessor.read($0, $1)) }
    }
  }

  package static func == (lhs: SortKey, rhs: SortKey) -> Bool {
    lhs.path == rhs.path && lhs.order == rhs.order
  }
  package func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(order)
  }
  package var description: String { text(of: path.description) }
  /// The same, so that no other key of dynamic objects has this text.
  var exactDescription: String { text(of: path.exactDescription) }

  private func text(of path: String) -> String { order == .ascending ? path : "\(path) descending" }
}

/// How the values of a block are abbreviated: stored properties of most types in a loop of their own.
private func blockAbbreviation<Value>(
  _ accessor: Accessor<Value>, _ order: ValueOrder<Value>?,
  _ abbreviate: @escaping @Sendable (UnsafeRawPointer, ReadContext) -> UInt64
) -> @Sendable (RowBlock, ReadContext, UnsafeMutablePointer<UInt64>) -> Void {
  if case .offset(let offset) = accessor, let order, order.abbreviateAll != nil {
    return { block, _, words in order.abbreviateAll?(block.values(at: offset), words) }
  }
  return { block, context, words in
    var words = words
    block.objects.forEach { object in
      words.pointee = abbreviate(object, context)
      words += 1
    }
  }
}
