/// A table as lines of text, with all its rows.
package enum PlainTable {
  /// Writes the titles and the rows. The rows are read twice, once for the widths, so that none is held.
  ///
  /// - Parameters:
  ///   - width: lines are cut to so many columns; nil leaves them whole.
  ///   - columns: what is written of a row; nil for what the rows have.
  ///   - key: the paths that identify a row.
  package static func write(
    _ rows: TableRows, columns: [Column]?, key: [[String]], width: Int?, isColored: Bool,
    to writer: inout OutputWriter
  ) throws(Exit) {
    var layout = TableLayout(columns)
    for position in 0..<rows.count { layout.find(in: [rows[position]], key: key) }
    for position in 0..<rows.count { layout.measure(layout.cells(of: rows[position])) }
    let shown = layout.fitting(width ?? .max / 2, from: 0)
    try writer.append(line: TextColor.bold.paint(line(layout.titles, shown, layout), isOn: isColored))
    for position in 0..<rows.count {
      let cells = layout.cells(of: rows[position])
      try writer.append(line: line(cells.map(\.text), shown, layout))
    }
  }

  private static func line(
    _ texts: [String], _ columns: [(column: Int, width: Int)], _ layout: TableLayout
  ) -> String {
    let cells = columns.map { texts[$0.column].fitted(to: $0.width, isRight: layout.isRight($0.column)) }
    let line = cells.joined(separator: String(repeating: " ", count: TableLayout.gap))
    return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }
}
