package import LiveStore

/// How rows of a table are read, for one layout of its columns. Used by one task.
struct RowFunctions<Element: Entity> {
  /// Makes the functions for a layout.
  typealias Maker = @Sendable (RowLayout) throws -> RowFunctions<Element>

  /// The layout.
  let layout: RowLayout
  /// An object of a row, and of the object that it replaces where an update has left values out.
  let object: (TupleData, _ previous: () -> Element?) throws -> Element
  /// The objects of many rows.
  let objects: (TupleBatch) throws -> [Element]
  /// The id of a row, of which only the replica identity may be there.
  let id: (TupleData) throws -> Element.ID
  /// What an operator should know: sentences.
  var warnings: [String] = []
}

/// A table that is followed, without its type.
package protocol ReplicatedTable: Sendable {
  var name: TableName { get }
  var entity: any Entity.Type { get }
  /// The row filter that the publication must have.
  var filter: String? { get }
  /// The column that is the id; nil if a closure reads the id.
  var idColumn: String? { get }
  var completesObjects: Bool { get }
  /// What is done about a row that the entity cannot hold.
  var unreadable: UnreadableRows { get }

  /// Whether a column is read, as far as is known without its rows.
  func isRead(_ column: String) -> Bool

  /// What reads the rows of a layout.
  func makeReader(_ layout: RowLayout) throws -> any RowReader
}

struct TypedTable<Element: Entity>: ReplicatedTable {
  let name: TableName
  let filter: String?
  let idColumn: String?
  let completesObjects: Bool
  /// The columns that are read; nil if that is not known.
  let columns: Set<String>?
  let unreadable: UnreadableRows
  let rows: RowFunctions<Element>.Maker

  var entity: any Entity.Type { Element.self }

  func isRead(_ column: String) -> Bool { columns?.contains(column) ?? true }

  func makeReader(_ layout: RowLayout) throws -> any RowReader {
    TypedRowReader(name: name, leavesOut: unreadable == .leaveOut, rows: try rows(layout))
  }
}
