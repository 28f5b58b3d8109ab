package import LiveStore

extension Query<Document> {
  /// What the query selects with its limit, in the order of the values at a path.
  package func reordered(by key: SortKey) -> Query<Document> {
    // Behind a limit, even one that leaves nothing out, an order is the first and not a further one.
    limit(.max).sorted(byPath: key.path.steps, key.isDescending ? .descending : .ascending)
  }
}

/// A result, of which rows are read one by one as they are needed. It holds its version of the store.
package struct TableRows: Sendable {
  /// The version of the store.
  package let version: UInt64
  /// How many rows there are.
  package let count: Int
  /// The order that was chosen in the table; nil for that of the query.
  package let order: SortKey?
  private let row: @Sendable (Int) -> Document
  private let find: @Sendable (Document) -> Int?

  /// Rows that are made when they are read.
  ///
  /// - Parameters:
  ///   - row: the row at a position.
  ///   - find: the position of the row with the id of another.
  package init(
    version: UInt64, count: Int, order: SortKey? = nil, row: @escaping @Sendable (Int) -> Document,
    find: @escaping @Sendable (Document) -> Int?
  ) {
    (self.version, self.count, self.order, self.row, self.find) = (version, count, order, row, find)
  }

  /// The rows of a result.
  package init(_ results: Results<Document>, order: SortKey? = nil) {
    self.init(version: results.version.number, count: results.count, order: order) {
      results[$0]
    } find: {
      results.firstIndex(id: $0.id)
    }
  }

  /// The row at a position.
  package subscript(position: Int) -> Document { row(position) }

  /// The position of the row with the id of another, if there is one.
  package func position(like document: Document) -> Int? { find(document) }

  /// The row with the id of another, if there is one.
  package func row(like document: Document) -> Document? { find(document).map(row) }
}
