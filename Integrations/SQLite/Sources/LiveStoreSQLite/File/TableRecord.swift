/// What the file says about the table of an entity.
struct TableRecord: Sendable {
  /// The name of the table, and of the entity.
  var name: String
  /// The columns that hold properties.
  var columns: ColumnNames
  /// How many rows there are.
  var rows = 0
  /// The sum of the rows' checksums, or of their marks where they are sealed.
  var checksum: Int64 = 0
  /// Whether the file was repaired or written by an opening that did not name the entity: its links may lead to objects
  /// that are gone.
  var isUnchecked = false
  /// The place that the next object gets at the least: no object that the file ever had has had it.
  var next: UInt64 = 1
  /// The columns that no object has asked for or been written with since the file was opened: those of properties that
  /// are gone. Once an object is written without them, they have names that no property has.
  var unusedColumns: Set<String> = []
  /// The columns that a program added which this one is older than: they stay, although no object asks for them.
  var foreignColumns: Set<String> = []
  /// The names that all columns have in a damaged file, if they are not those that were written.
  var namesInFile: [String]?
  /// What properties have that were added, in objects without a value.
  var defaults: [String: CodedValue] = [:]

  init(_ name: String, _ columns: ColumnNames = ColumnNames()) { (self.name, self.columns) = (name, columns) }
}

/// A name as SQL has it.
func quoted(_ name: String) -> String { Quoting.quoted(name, by: "\"") }
