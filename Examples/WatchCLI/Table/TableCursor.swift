/// The row and the column of a table that are set off, and where the part of it that is in view begins.
///
/// On the first row the cursor stays there when rows move, and after a jump to the last row on that one. On any other row
/// it stays on its object, and the object on its line of the screen; if the object is removed, on its position.
package struct TableCursor: Sendable {
  /// The position of the row.
  package private(set) var row = 0
  /// The column.
  package private(set) var column = 0
  /// The first row in view, and the first column behind those that stay.
  package private(set) var first = (row: 0, column: 0)
  /// The object of the row when it was last in view.
  private(set) var object: Document?
  /// Whether it stays on the last row.
  private var isAtEnd = false
  /// Of how many rows, and of which version and order, the positions are.
  private var count = 0
  private var version: UInt64?
  private var order: SortKey?

  /// Moves by rows, and the part in view with it if it is a page.
  mutating func move(by rows: Int, isPage: Bool = false) {
    row = max(0, min(row + rows, count - 1))
    if isPage { first.row += rows }
    isAtEnd = isAtEnd && rows > 0
    object = nil
  }

  /// Moves to a row.
  mutating func move(to row: Int) {
    move(by: row - self.row)
    isAtEnd = false
  }

  /// Moves to the last row, and stays on it.
  mutating func moveToEnd() {
    move(by: count)
    isAtEnd = true
  }

  /// Moves to a column.
  mutating func move(toColumn column: Int, of count: Int) {
    self.column = max(0, min(column, count - 1))
  }

  /// Finds its row in rows that may be others than before, of which so many are in view.
  mutating func find(in rows: TableRows, page: Int) {
    if (rows.version, rows.order) != (version, order), row > 0, let object,
      let position = rows.position(like: object)
    {
      first.row += position - row
      row = position
    }
    (count, version, order) = (rows.count, rows.version, rows.order)
    row = isAtEnd ? rows.count - 1 : min(row, rows.count - 1)
    row = max(0, row)
    first.row = max(row - page + 1, min(first.row, row))
    first.row = max(0, min(first.row, rows.count - page))
  }

  /// Takes in the rows in view.
  mutating func take(_ documents: [Document]) {
    object = row - first.row < documents.count ? documents[row - first.row] : nil
  }

  /// Brings its column into view, and returns the columns in view.
  mutating func columns(of layout: TableLayout, in width: Int, key: [[String]]) -> [TableLayout.Place] {
    move(toColumn: column, of: layout.columns.count)
    first.column = min(first.column, column)
    while true {
      let shown = layout.fitting(width, from: first.column, key: key)
      if first.column >= column || shown.contains(where: { $0.column == column }) { return shown }
      first.column += 1
    }
  }
}
