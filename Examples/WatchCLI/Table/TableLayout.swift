import LiveStore

/// The columns of a table and how wide they are.
///
/// Columns are given, or found in the rows that are shown; found ones are added at the end and stay. Widths only grow,
/// so that a table does not shake while its values change.
package struct TableLayout: Sendable {
  /// The columns in order.
  package private(set) var columns: [Column]
  /// The titles of the columns, as they are shown.
  package private(set) var titles: [String] = []
  /// How wide the titles and the values so far are.
  package private(set) var widths: [Int]
  /// Whether all values so far are numbers, which stand on the right; nil before the first.
  private var isNumeric: [Bool?]
  /// The columns that were found; nil if they are given.
  private var found: FoundColumns?

  /// How many columns are found, and how wide they are taken to be at most.
  private static let limit = (columns: 100, width: 1_000)
  /// Columns are not made narrower than this, as long as others can be left out.
  private static let least = 6
  /// The space between two columns.
  package static let gap = 2

  /// A layout of given columns; nil finds them in the rows.
  package init(_ columns: [Column]?) {
    self.columns = []
    (widths, isNumeric) = ([], [])
    found = columns == nil ? FoundColumns(limit: Self.limit.columns) : nil
    for column in columns ?? [] { add(column) }
  }

  /// Whether values of a column stand on the right.
  package func isRight(_ column: Int) -> Bool { isNumeric[column] ?? false }

  /// The cells of a row in the order of the columns.
  package func cells(of document: Document) -> [TableCell] {
    columns.map { TableCell(document.shownValue(at: $0.path), limit: Self.limit.width) }
  }

  /// Adds the columns that rows have, unless columns are given; the key's first.
  package mutating func find(in documents: some Collection<Document>, key: [[String]]) {
    guard var found else { return }
    // The only reference to them is this one.
    self.found = nil
    for document in documents { found.find(in: document, key: key) }
    for column in found.columns.dropFirst(columns.count) { add(column) }
    self.found = found
  }

  private mutating func add(_ column: Column) {
    columns.append(column)
    titles.append(TableCell.line(column.title, limit: Self.limit.width))
    widths.append(max(1, min(titles[titles.count - 1].displayWidth, Self.limit.width)))
    isNumeric.append(nil)
  }

  /// Takes in cells that are to be shown.
  package mutating func measure(_ cells: [TableCell]) {
    for (column, cell) in cells.enumerated() {
      widths[column] = max(widths[column], min(cell.text.displayWidth, Self.limit.width))
      if let isNumber = cell.isNumber { isNumeric[column] = isNumber && isNumeric[column] ?? true }
    }
  }

  /// The columns from `first` on that fit into a width, with the width of each: as wide as their values; if they do
  /// not fit, the widest are made narrower; if that is not enough, the last are left out.
  package func fitting(_ width: Int, from first: Int) -> [(column: Int, width: Int)] {
    var shown = Array(columns.indices.dropFirst(first))
    while shown.count > 1, minimum(shown) > width { shown.removeLast() }
    var room = width - Self.gap * (shown.count - 1)
    var result: [Int: Int] = [:]
    // The narrow ones get what they need, and the others share what is left.
    for (place, column) in shown.sorted(by: { widths[$0] < widths[$1] }).enumerated() {
      let share = max(1, room / (shown.count - place))
      let given = min(widths[column], share)
      result[column] = given
      room -= given
    }
    return shown.map { ($0, result[$0] ?? 0) }
  }

  private func minimum(_ columns: [Int]) -> Int {
    columns.reduce(Self.gap * (columns.count - 1)) { $0 + min(widths[$1], Self.least) }
  }
}
