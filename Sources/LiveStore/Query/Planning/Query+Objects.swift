// Queries over objects that are in no store, for who keeps a few of his own: every object is looked at.

extension Query {
  /// The objects of the query among some that stand in insertion order.
  ///
  /// - Throws: `unknownEntity` for a query over links, since there are no objects for them to lead to;
  ///   `filterFailed` if a predicate throws.
  /// - Complexity: O(*n* log *n*) for *n* objects.
  package func evaluate(over objects: [Element]) throws(StoreError) -> [Element] {
    if let link = stages.linkedOperands.first.map({ "\($0.path)" }) ?? stages[0].source.map({ "\($0)" }) {
      throw StoreError(
        StoreError.unknownEntity,
        "A query of \(Element.self) goes over the link \(link), and there are no objects here but \(Element.self). Ask a store.",
        entity: "\(Element.self)")
    }
    let (found, failures) = FilterFailures.collect { find(among: objects) }
    if let error = failures?.error { throw error }
    return found
  }

  private func find(among objects: [Element]) -> [Element] {
    objects.withUnsafeBufferPointer { buffer in
      guard let first = buffer.baseAddress else { return [] }
      // Every index is one of the buffer, which holds Elements and outlives the loop.
      let row = { index in UnsafeRawPointer(first + index) }
      var found = Array(buffer.indices)
      for stage in stages { found = stage.evaluate(over: found, row) }
      return found.map { buffer[$0] }
    }
  }
}

extension QueryStage {
  /// The window of the stage over rows in the order of the stage before; a row's number is its place in
  /// insertion order.
  fileprivate func evaluate(over rows: [Int], _ row: (Int) -> UnsafeRawPointer) -> [Int] {
    let found = firsts(of: rows, row).filter { filter.matches(row($0), .none) }
    let ordered = found.sorted { lhs, rhs in
      let result = order.compare(row(lhs), .none, row(rhs), .none)
      return result == 0 ? lhs < rhs : result < 0
    }
    return Array(ordered[window(of: ordered.count)])
  }

  /// Those of the rows that are the first of their values; all where nothing is
  /// to be distinct.
  private func firsts(of rows: [Int], _ row: (Int) -> UnsafeRawPointer) -> [Int] {
    if distinct.isEmpty { return rows }
    var firsts: [Int] = []
    for index in rows {
      let isKnown = firsts.contains { first in
        distinct.allSatisfy { key in
          key.compare(row(first), .none, row(index), .none) == 0
            && key.isSame?(row(first), .none, row(index), .none) ?? true
        }
      }
      if !isKnown { firsts.append(index) }
    }
    return firsts
  }
}
