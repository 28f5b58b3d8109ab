import GRDB
import LiveStore

/// The columns of a table that hold properties, in the order of the table.
struct ColumnNames: Sendable, Equatable {
  private(set) var names: [String] = []
  /// What has been written to each column.
  private(set) var kinds: [ValueKinds] = []
  private var indices: [String: Int] = [:]

  /// Columns of which nothing but their names is known.
  init(_ names: some Sequence<String> = []) {
    for name in names { add(name) }
  }

  func index(of name: String) -> Int? { indices[name] }

  /// Adds a column.
  ///
  /// - Parameter kinds: the kinds of the values that it has.
  mutating func add(_ name: String, kinds: ValueKinds = .all) {
    indices[name] = names.count
    names.append(name)
    self.kinds.append(kinds)
  }

  /// What a column stores for a value, whose kind is added to those of the column.
  mutating func stored(_ value: CodedValue, at index: Int) -> ColumnValue { value.column(&kinds[index]) }

  /// The columns under the names that a closure gives them, without those that it gives none.
  func renamed(_ name: (String) -> String?) -> ColumnNames {
    var columns = ColumnNames()
    for (index, old) in names.enumerated() {
      if let new = name(old) { columns.add(new, kinds: kinds[index]) }
    }
    return columns
  }

  static func == (left: ColumnNames, right: ColumnNames) -> Bool {
    left.names == right.names && left.kinds == right.kinds
  }
}

/// The values of a row, which its reader changes and the decoder of its object reads.
///
/// Overlapping access cannot happen: both work in one thread, one after the other, and what is accessed is a value that
/// is copied or replaced.
final class RowValues {
  let columns: ColumnNames
  /// What properties have that may not be missing, where there is no value.
  let defaults: [String: CodedValue]
  @exclusivity(unchecked) var values: [ColumnValue]

  /// Where those of the row begin that is decoded, among those of several.
  @exclusivity(unchecked) private var start = 0

  /// - Parameter values: those of several rows, one after the other; nil for one row without any.
  init(_ columns: ColumnNames, defaults: [String: CodedValue] = [:], _ values: [ColumnValue]? = nil) {
    (self.columns, self.defaults) = (columns, defaults)
    self.values = values ?? Array(repeating: .null, count: columns.names.count)
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
      return values[start + next - 1]
    }
    // What may be missing is asked for twice.
    if next > 0, columns.names[next - 1] == name { return values[start + next - 1] }
    guard let index = columns.index(of: name) else { return nil }
    next = index + 1
    isUsed[index] = true
    return values[start + index]
  }

  /// The kinds of a column; all if there is none.
  func kinds(_ name: String) -> ValueKinds {
    if next > 0, columns.names[next - 1] == name { return columns.kinds[next - 1] }
    return columns.index(of: name).map { columns.kinds[$0] } ?? .all
  }

  /// The values that are not null, as an object.
  var json: JSONValue {
    let members = columns.names.compactMap { name -> (key: String, value: JSONValue)? in
      guard let value = self[name], value != .null, value != .blob(MarkedBytes.null) else { return nil }
      return (name, StoredValue(value, kinds(name)).json)
    }
    return .object(JSONObject(members))
  }

  /// Takes over the values of the row that a statement is at, from a column of it on.
  func read(_ statement: SQLiteStatement, from first: CInt) {
    begin()
    for index in values.indices { values[index] = ColumnValue(statement, first + CInt(index)) }
  }

  /// Begins another row.
  ///
  /// - Parameter index: how many rows of several are before it.
  func begin(at index: Int = 0) { (next, start) = (0, index * columns.names.count) }
}
