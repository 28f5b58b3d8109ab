package import LiveStore

/// An entity that tables show.
package protocol ShownEntity: Entity {
  /// The object as it is shown.
  var document: Document { get }
  /// The entity's id of which a document's id was made.
  static func id(of document: Document) -> ID?
}

extension Document: ShownEntity {
  /// The document itself.
  package var document: Document { self }

  /// The document's id.
  package static func id(of document: Document) -> JSONValue? { document.id }
}

/// A result, of which rows are read one by one as they are needed. It holds its version of the store.
package struct TableRows: Sendable {
  /// The version of the store.
  package let version: UInt64
  /// How many rows there are.
  package let count: Int
  private let row: @Sendable (Int) -> Document
  private let find: @Sendable (Document) -> Document?

  /// Rows that are made when they are read.
  ///
  /// - Parameters:
  ///   - row: the row at a position.
  ///   - find: the row with the id of another.
  package init(
    version: UInt64, count: Int, row: @escaping @Sendable (Int) -> Document,
    find: @escaping @Sendable (Document) -> Document?
  ) {
    (self.version, self.count, self.row, self.find) = (version, count, row, find)
  }

  /// The rows of a result.
  package init<Element: ShownEntity>(_ results: Results<Element>) {
    version = results.version.number
    count = results.count
    row = { results[$0].document }
    find = { document in Element.id(of: document).flatMap { results[id: $0] }?.document }
  }

  /// The row at a position.
  package subscript(position: Int) -> Document { row(position) }

  /// The row with the id of another, if there is one.
  package func row(like document: Document) -> Document? { find(document) }
}
