/// The columns of a table that hold properties, in the order of the table.
struct ColumnNames: Sendable {
  private(set) var names: [String] = []
  private var indices: [String: Int] = [:]

  init(_ names: some Sequence<String> = []) {
    for name in names { add(name) }
  }

  func index(of name: String) -> Int? { indices[name] }

  mutating func add(_ name: String) {
    indices[name] = names.count
    names.append(name)
  }
}

/// The values of a row.
final class RowValues {
  let columns: ColumnNames
  var values: [ColumnValue]

  init(_ columns: ColumnNames) {
    self.columns = columns
    values = Array(repeating: .null, count: columns.names.count)
  }

  /// The value of a column; nil if there is no such column.
  subscript(name: String) -> ColumnValue? { columns.index(of: name).map { values[$0] } }
}
