/// What a table shows on a screen: a value without a terminal.
///
/// ```
/// status == "open": 1234 objects, version 40            summary      with 4 lines or more
///   id  title                        owner.name         titles       with 2 lines or more
/// ~ 17  Tea for two                  Ann                rows, `+` before new and `~` before changed ones
/// rows 1-20 of 1234  q quit …                           footer       with 6 lines or more
/// ```
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

  /// The size; after a change, all lines are different.
  package var size: Size
  /// The first row and column that are shown.
  package private(set) var first = (row: 0, column: 0)
  private var layout: TableLayout
  private let key: [[String]]
  /// Whether the last row stays in view when there are more.
  private var isAtEnd = false
  /// How many rows and columns the last content had.
  private var count = (rows: 0, columns: 0)

  /// A screen at the first row.
  ///
  /// - Parameters:
  ///   - columns: what is shown of a row; nil for what the rows have.
  ///   - key: the paths that identify a row.
  package init(size: Size, columns: [Column]?, key: [[String]]) {
    (self.size, self.key) = (size, key)
    layout = TableLayout(columns)
  }

  private var hasSummary: Bool { size.rows >= 4 }
  private var hasTitles: Bool { size.rows >= 2 }
  private var hasFooter: Bool { size.rows >= 6 }
  /// The sign before a row and the space after it.
  private var margin: Int { size.columns >= 12 ? 2 : 0 }

  /// How many rows are shown at once.
  package var rowsPerPage: Int {
    size.rows - (hasSummary ? 1 : 0) - (hasTitles ? 1 : 0) - (hasFooter ? 1 : 0)
  }

  /// Scrolls; whether there is something to draw.
  package mutating func perform(_ key: TerminalKey) -> Bool {
    let before = first
    switch key {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -max(1, rowsPerPage - 1))
    case .pageDown: move(by: max(1, rowsPerPage - 1))
    case .home: move(by: -first.row)
    case .end:
      move(by: count.rows)
      isAtEnd = true
    case .left: first.column = max(0, first.column - 1)
    case .right: first.column = max(0, min(first.column + 1, count.columns - 1))
    case .quit, .redraw, .other: return key == .redraw
    }
    return first != before
  }

  private mutating func move(by rows: Int) {
    first.row = max(0, min(first.row + rows, count.rows - rowsPerPage))
    isAtEnd = false
  }

  /// The lines of the screen, exactly as many as it has; only the rows in view are read.
  package mutating func lines(_ content: Content) -> [StyledLine] {
    let last = max(0, content.rows.count - rowsPerPage)
    first.row = isAtEnd ? last : min(first.row, last)
    let shown = first.row..<min(content.rows.count, first.row + rowsPerPage)
    let documents = shown.map { content.rows[$0] }
    layout.find(in: documents, key: key)
    let cells = documents.map(layout.cells)
    for row in cells { layout.measure(row) }
    count = (content.rows.count, layout.columns.count)
    first.column = max(0, min(first.column, layout.columns.count - 1))
    let columns = layout.fitting(max(1, size.columns - margin), from: first.column)
    var lines: [StyledLine] = []
    if hasSummary { lines.append(single(content.summary, .bold)) }
    if hasTitles { lines.append(titles(columns)) }
    for (document, cells) in zip(documents, cells) {
      lines.append(line(of: document, cells, columns, content))
    }
    let height = size.rows - (hasFooter ? 1 : 0)
    while lines.count < height { lines.append(StyledLine()) }
    if hasFooter { lines.append(footer(shown, columns.map(\.column))) }
    return lines
  }

  private func single(_ text: String, _ style: StyledLine.Style) -> StyledLine {
    var line = StyledLine()
    let text = TableCell.line(text, limit: size.columns + 1)
    let width = min(size.columns, text.displayWidth)
    line.append(text.fitted(to: width), width: width, style)
    return line
  }

  private func titles(_ columns: [(column: Int, width: Int)]) -> StyledLine {
    var line = StyledLine()
    line.skip(margin)
    for (place, (column, width)) in columns.enumerated() {
      if place > 0 { line.skip(TableLayout.gap) }
      line.append(
        layout.titles[column].fitted(to: width, isRight: layout.isRight(column)), width: width, .title)
    }
    return line
  }

  private func line(
    of document: Document, _ cells: [TableCell], _ columns: [(column: Int, width: Int)], _ content: Content
  ) -> StyledLine {
    let old = content.previous?.row(like: document)
    let isInserted = content.previous != nil && old == nil
    let isModified = old.map { $0 != document } ?? false
    var line = StyledLine()
    if margin > 0, isInserted || isModified {
      line.append(isInserted ? "+" : "~", width: 1, isInserted ? .inserted : .changed)
      line.skip(margin - 1)
    } else {
      line.skip(margin)
    }
    for (place, (column, width)) in columns.enumerated() {
      if place > 0 { line.skip(TableLayout.gap) }
      let path = layout.columns[column].path
      let isChanged = isModified && old?.value(at: path) != document.value(at: path)
      let text = cells[column].text.fitted(to: width, isRight: layout.isRight(column))
      line.append(text, width: width, isChanged ? .changed : isInserted ? .inserted : .plain)
    }
    return line
  }

  private func footer(_ shown: Range<Int>, _ columns: [Int]) -> StyledLine {
    var parts: [String] = []
    if shown.count < count.rows {
      parts.append("rows \(shown.lowerBound + 1)-\(shown.upperBound) of \(count.rows)")
    }
    if columns.count < count.columns, let first = columns.first, let last = columns.last {
      parts.append("columns \(first + 1)-\(last + 1) of \(count.columns)")
    }
    let keys = "q quit, arrows and page keys scroll, g first, G last"
    return single((parts + [keys]).joined(separator: "  "), .dim)
  }
}
