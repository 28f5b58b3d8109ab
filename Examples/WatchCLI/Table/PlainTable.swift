/// A table as lines of text, with all its rows.
package enum PlainTable {
  /// Writes the titles and the rows. The rows are read twice, once for the widths, so that none is held.
  ///
  /// - Parameters:
  ///   - width: lines are cut to so many columns; nil leaves them whole.
  ///   - columns: what is written of a row; nil for what the rows have.
  ///   - key: the paths that identify a row.
  ///   - chart: what is drawn behind the columns.
  package static func write(
    _ rows: TableRows, columns: [Column]?, key: [[String]], chart: TableChart? = nil, width: Int?,
    isColored: Bool, to writer: inout OutputWriter
  ) throws(Exit) {
    var layout = TableLayout(columns, chart: chart)
    for position in 0..<rows.count { layout.find(in: [rows[position]], key: key) }
    for position in 0..<rows.count { layout.measure(rows[position], layout.cells(of: rows[position])) }
    let width = width ?? .max / 2
    let shown = layout.fitting(width, from: 0)
    try writer.append(line: TextColor.bold.paint(line(shown.map { layout.title(at: $0) }), isOn: isColored))
    for position in 0..<rows.count {
      let row = rows[position]
      let cells = layout.cells(of: row)
      let chart = layout.chart(of: row, in: width)
      try writer.append(
        line: line(shown.map { layout.text(cells[$0.column], at: $0) } + [chart].compactMap(\.self)))
    }
  }

  private static func line(_ cells: [String]) -> String {
    cells.joined(separator: String(repeating: " ", count: TableLayout.gap)).withoutTrailingSpaces
  }
}

extension String {
  /// The text without spaces at its end.
  package var withoutTrailingSpaces: String {
    String(
      unicodeScalars[
        ..<(unicodeScalars.lastIndex { $0 != " " }.map(unicodeScalars.index(after:)) ?? startIndex)])
  }
}
