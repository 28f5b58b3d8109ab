import GRDB

/// The columns of a table that hold properties, in the order of the table.
struct ColumnNames: Sendable {
  private(set) var names: [String] = []
  private var indices: [String: Int] = [:]

  init(_ names: some Sequence<String> = []) {
    for name in names { add(name) }
  }

  func index(of name: String) -> Int? { indices[name] }

  /// The columns with another name for one of them.
  func renaming(_ name: String, to newName: String) -> ColumnNames {
    ColumnNames(names.map { $0 == name ? newName : $0 })
  }

  mutating func add(_ name: String) {
    indices[name] = names.count
    names.append(name)
  }
}

/// The values of a row, which its reader changes and the decoder of its object reads.
///
/// Overlapping access cannot happen: both work in one thread, one after the other, and what is accessed is a value that
/// is copied or replaced.
final class RowValues {
  let columns: ColumnNames
  /// What properties have that may not be missing, where there is no value.
  let defaults: [String: ColumnValue]
  @exclusivity(unchecked) var values: [ColumnValue]

  init(_ columns: ColumnNames, defaults: [String: ColumnValue] = [:]) {
    (self.columns, self.defaults) = (columns, defaults)
    values = Array(repeating: .null, count: columns.names.count)
    isUsed = Array(repeating: false, count: columns.names.count)
  }

  /// The column after the one that was asked for last: objects mostly ask in the order of the columns.
  @exclusivity(unchecked) private var next = 0
  /// Which columns were asked for, in any row.
  @exclusivity(unchecked) private var isUsed: [Bool]

  /// The columns that no row was asked for.
  var unusedColumns: Set<String> { Set(zip(columns.names, isUsed).filter { !$0.1 }.map(\.0)) }

  /// The value of a column; nil if there is no such column.
  subscript(name: String) -> ColumnValue? {
    if next < columns.names.count, columns.names[next] == name {
      isUsed[next] = true
      next += 1
      return values[next - 1]
    }
    // What may be missing is asked for twice.
    if next > 0, columns.names[next - 1] == name { return values[next - 1] }
    guard let index = columns.index(of: name) else { return nil }
    next = index + 1
    isUsed[index] = true
    return values[index]
  }

  /// Takes over the values of the row that a statement is at, from a column of it on.
  func read(_ statement: SQLiteStatement, from first: CInt) {
    begin()
    for index in values.indices { values[index] = ColumnValue(statement, first + CInt(index)) }
  }

  /// Begins another row.
  func begin() { next = 0 }
}
