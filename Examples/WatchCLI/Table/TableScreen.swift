/// What a table shows on a screen: a value without a terminal.
///
/// ```
/// status == "open": 1234 objects, version 40            summary      with 4 lines or more
///   id▲ title                        owner.name         titles       with 2 lines or more
/// ~ 17  Tea for two                  Ann                rows, `+` before new and `~` before changed ones
/// rows 1-20 of 1234  q quit …                           footer       with 6 lines or more
/// ```
/// In the place of the rows an object is shown, and in that of the last line a text is typed or a search reports.
package struct TableScreen: Sendable {
  /// The size of the screen in characters.
  package struct Size: Hashable, Sendable {
    /// Lines.
    package var rows: Int
    /// Characters of a line.
    package var columns: Int

    /// A size of at least one character.
    package init(rows: Int, columns: Int) {
      (self.rows, self.columns) = (max(1, rows), max(1, columns))
    }
  }

  /// What is shown.
  package struct Content: Sendable {
    /// The result.
    package var rows: TableRows
    /// The result that was shown before, with which cells are compared; nil for the first.
    package var previous: TableRows?
    /// What is watched and the state of the input: `status == "open": 3 objects, version 7`.
    package var summary: String

    /// A content.
    package init(rows: TableRows, previous: TableRows? = nil, summary: String = "") {
      (self.rows, self.previous, self.summary) = (rows, previous, summary)
    }
  }

  /// What a key asks for.
  package enum Effect: Hashable, Sendable {
    case nothing
    /// Drawing again.
    case draw
    /// Rows in another order; nil is that of the query.
    case order(SortKey?)
    case quit
  }

  /// The size; after a change, all lines are different.
  package var size: Size
  /// What is set off, and what is in view.
  package internal(set) var cursor = TableCursor()
  var layout: TableLayout
  let key: [[String]]
  /// How many rows the last content had.
  var count = 0
  var finder = RowFinder()
  /// The object that is shown in the place of the rows.
  var object: ObjectView?
  /// The order that was asked for last.
  private var order: SortKey?

  /// A screen at the first row.
  ///
  /// - Parameters:
  ///   - columns: what is shown of a row; nil for what the rows have.
  ///   - key: the paths that identify a row.
  ///   - chart: what is drawn behind the columns.
  package init(size: Size, columns: [Column]?, key: [[String]], chart: TableChart? = nil) {
    (self.size, self.key) = (size, key)
    layout = TableLayout(columns, chart: chart)
  }

  var hasSummary: Bool { size.rows >= 4 }
  var hasTitles: Bool { size.rows >= 2 }
  var hasFooter: Bool { size.rows >= 6 }
  /// The sign before a row and the space after it.
  var margin: Int { size.columns >= 12 ? 2 : 0 }

  /// How many rows are shown at once.
  package var rowsPerPage: Int {
    size.rows - (hasSummary ? 1 : 0) - (hasTitles ? 1 : 0) - (hasFooter ? 1 : 0)
  }

  /// Takes in a key.
  package mutating func perform(_ key: TerminalKey) -> Effect {
    if key == .redraw { return .draw }
    if finder.typed != nil {
      if finder.perform(key) { finder.begin(at: cursor.row, step: 1) }
      return .draw
    }
    finder.stop()
    return object == nil ? command(key.command) : objectCommand(key.command)
  }

  private mutating func objectCommand(_ key: TerminalKey) -> Effect {
    switch key {
    case .enter, .escape, .quit: object = nil
    default: object?.perform(key)
    }
    return .draw
  }

  private mutating func command(_ key: TerminalKey) -> Effect {
    let page = max(1, rowsPerPage - 1)
    switch key {
    case .up: cursor.move(by: -1)
    case .down: cursor.move(by: 1)
    case .pageUp: cursor.move(by: -page, isPage: true)
    case .pageDown: cursor.move(by: page, isPage: true)
    case .home: cursor.move(to: 0)
    case .end: cursor.moveToEnd()
    case .left: cursor.move(toColumn: cursor.column - 1, of: layout.columns.count)
    case .right: cursor.move(toColumn: cursor.column + 1, of: layout.columns.count)
    case .enter: if count > 0 { object = ObjectView() }
    case .find: finder.type()
    case .findNext: finder.begin(at: cursor.row + 1, step: 1)
    case .findPrevious: finder.begin(at: cursor.row - 1, step: -1)
    case .sort: return sort()
    case .quit: return .quit
    default: break
    }
    return .draw
  }

  /// Asks for the order of the column under the cursor, then for the opposite, then for that of the query.
  private mutating func sort() -> Effect {
    guard cursor.column < layout.columns.count else { return .nothing }
    let column = layout.columns[cursor.column]
    if let order, column.isAt(order.path.steps) {
      self.order = order.isDescending ? nil : SortKey(path: order.path, isDescending: true)
    } else {
      order = SortKey(path: KeyPathText(steps: column.path), isDescending: false)
    }
    return .order(order)
  }

  /// Whether rows are being looked through; each call of `search` looks at some of them.
  package var isSearching: Bool { finder.isSearching }

  /// Looks at so many rows for the text, and moves to the first that has it.
  package mutating func search(in rows: TableRows, atMost limit: Int = 500) {
    for _ in 0..<limit {
      guard let position = finder.next(of: rows.count) else { return }
      guard let column = layout.column(of: rows[position], where: finder.matches) else { continue }
      // There may be more rows than when they were drawn.
      cursor.find(in: rows, page: rowsPerPage)
      cursor.move(to: position)
      cursor.move(toColumn: column, of: layout.columns.count)
      return finder.stop()
    }
  }
}
