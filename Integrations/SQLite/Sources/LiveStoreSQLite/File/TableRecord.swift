import GRDB

/// What the file says about the table of an entity.
struct TableRecord: Sendable {
  /// The name of the table, and of the entity.
  let name: String
  /// The columns that hold properties.
  var columns: ColumnNames
  /// How many rows there are.
  var rows = 0
  /// The sum of the rows' checksums.
  var checksum: Int64 = 0
  /// Where the objects of the store are.
  var places = PlaceMap()

  init(_ name: String, _ columns: ColumnNames = ColumnNames()) { (self.name, self.columns) = (name, columns) }

  /// The columns as one text.
  var columnList: String { columns.names.map(quoted).joined(separator: ", ") }
}

/// A name as SQL has it.
func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
