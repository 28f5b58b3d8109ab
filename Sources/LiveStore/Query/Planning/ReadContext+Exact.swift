// Questions that the ends of index ranges answer, without reading the rows between them (Q7).

extension ReadContext {
  /// How many rows pass a filter, if ranges of one index hold exactly these, or exactly all others.
  ///
  /// - Complexity: O(log *n*) for each range.
  func exactCount(_ filter: ConditionTree, _ table: Int) -> Int? {
    let count = tables[table].count
    if case .constant(let passes) = filter { return passes ? count : 0 }
    let finder = PlanFinder(table, self)
    if let use = finder.exactUse(filter) { return use.count }
    return finder.exactUse(filter.complement).map { count - $0.count }
  }

  /// The row of the least or greatest value of a query, if it stands at an end of an index.
  ///
  /// - Parameters:
  ///   - key: an ascending key of the compared values.
  ///   - isNil: whether a row's value does not count; nil is the least value.
  /// - Returns: the row, which is nil if there is none with a value; nil if no index gives it.
  /// - Complexity: O(log *n*).
  func extreme(
    _ end: Extreme, of key: SortKey, isNil: (UnsafeRawPointer, ReadContext) -> Bool, _ stages: [QueryStage],
    _ table: Int
  ) -> IndexedExtreme? {
    guard stages.count == 1, stages[0].source == nil, !stages[0].hasWindow, stages[0].distinct.isEmpty else {
      return nil
    }
    let index = tables[table]
    guard let use = PlanFinder(table, self).ordering(stages[0].ordered(by: key)), use.isExact,
      catalog.entities[table].indexes[use.index].hasConsistentOrder
    else { return nil }
    let tree = index.indexes[use.index]
    for range in end == .least ? use.ranges : use.ranges.reversed() where !range.isEmpty {
      if end == .greatest {
        let row = tree.entry(at: range.upperBound - 1).key.second
        return isNil(index.existing(row), self) ? .missing : .row(row)
      }
      if let row = first(in: range, of: tree, index, isNil) { return .row(row) }
    }
    return .missing
  }

  /// The first row of a range whose value is not nil. In the order of one value, nil comes first.
  private func first(
    in range: Range<Int>, of tree: Tree, _ state: TableState,
    _ isNil: (UnsafeRawPointer, ReadContext) -> Bool
  ) -> UInt64? {
    var rest = range
    while !rest.isEmpty {
      let middle = rest.lowerBound + rest.count / 2
      if isNil(state.existing(tree.entry(at: middle).key.second), self) {
        rest = (middle + 1)..<rest.upperBound
      } else {
        rest = rest.lowerBound..<middle
      }
    }
    return rest.lowerBound < range.upperBound ? tree.entry(at: rest.lowerBound).key.second : nil
  }
}

extension QueryStage {
  /// The rows of the same filter in the order of one key.
  func ordered(by key: SortKey) -> QueryStage {
    var stage = QueryStage()
    stage.filter = filter
    stage.order = RowOrder(keys: [key])
    return stage
  }
}

/// The row of an extreme value, found at an end of an index.
enum IndexedExtreme {
  case row(UInt64)
  /// No row has a value.
  case missing
}

extension Aggregate {
  /// The aggregate value, if it is the value of a row at an end of an index.
  ///
  /// - Complexity: O(log *n*).
  package func indexedValue(in context: ReadContext) -> Value? {
    guard case .extreme(let end, let key, let isNil, let value) = kind.function,
      let table = context.catalog.index(of: Element.self),
      let found = context.extreme(end, of: key, isNil: isNil, query.stages, table)
    else { return nil }
    guard case .row(let row) = found else { return empty }
    return value(context.tables[table].existing(row), context)
  }
}
