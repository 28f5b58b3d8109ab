package import LiveStore

/// An entity that tables show.
package protocol ShownEntity: Entity {
  /// The object as it is shown.
  var document: Document { get }
  /// The entity's id of which a document's id was made.
  static func id(of document: Document) -> ID?
  /// The rows of a query in the order of the values at a path; nil if such paths lead nowhere.
  static func sorted(_ query: Query<Self>, by key: SortKey) -> Query<Self>?
}

extension ShownEntity {
  /// Has only its own order.
  package static func sorted(_ query: Query<Self>, by key: SortKey) -> Query<Self>? { nil }
}

extension Document: ShownEntity {
  /// The document itself.
  package var document: Document { self }

  /// The document's id.
  package static func id(of document: Document) -> JSONValue? { document.id }

  /// What a query selects with its limit, in another order.
  package static func sorted(_ query: Query<Document>, by key: SortKey) -> Query<Document>? {
    // Behind a limit, even one that leaves nothing out, an order is the first and not a further one.
    query.limit(.max).sorted(byPath: key.path.steps, key.isDescending ? .descending : .ascending)
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
  package init<Element: ShownEntity>(_ results: Results<Element>, order: SortKey? = nil) {
    self.init(version: results.version.number, count: results.count, order: order) {
      results[$0].document
    } find: { document in
      Element.id(of: document).flatMap { results.firstIndex(id: $0) }
    }
  }

  /// The row at a position.
  package subscript(position: Int) -> Document { row(position) }

  /// The position of the row with the id of another, if there is one.
  package func position(like document: Document) -> Int? { find(document) }

  /// The row with the id of another, if there is one.
  package func row(like document: Document) -> Document? { find(document).map(row) }
}
