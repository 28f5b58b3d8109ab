/// A table as lines of text, with columns as wide as their texts.
///
/// Whatever a terminal would obey or hide in a text is escaped.
package struct TextTable: Equatable {
  package struct Column: Equatable {
    package var title: String
    package var isNumber = false

    package init(_ title: String, isNumber: Bool = false) { (self.title, self.isNumber) = (title, isNumber) }
  }

  package var columns: [Column]
  package var rows: [[String]]

  /// What is shown of a longer text.
  private static let longest = 200

  package init(_ columns: [Column], _ rows: [[String]]) {
    // Also titles come from the server: they are names of properties.
    self.columns = columns.map { Column(Self.cell($0.title), isNumber: $0.isNumber) }
    self.rows = rows.map { $0.map(Self.cell) }
  }

  private static func cell(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(longest + 1)
    guard start.count > longest else { return text.escapingInvisibles }
    return (String(start.dropLast()) + "…").escapingInvisibles
  }

  /// The titles and the rows as lines, of which the caller shows a part.
  ///
  /// - Parameters:
  ///   - room: how many columns the terminal has, of which a text gets no more than a third; nil for any number.
  ///   - skipped: how many columns behind the first are left out.
  package func lines(in room: Int?, skipping skipped: Int = 0) -> (titles: String, rows: [String]) {
    let most = room.map { max($0 / 3, 12) } ?? Int.max
    let shown = columns.indices.filter { $0 == 0 || $0 > skipped }.map { column in
      let width = rows.reduce(columns[column].title.displayWidth) { max($0, $1[column].displayWidth) }
      return (column, width: min(width, most))
    }
    func line(_ cells: [String]) -> String {
      var text = ""
      for (column, width) in shown {
        text += (column > 0 ? "  " : "") + cells[column].fitted(to: width, isRight: columns[column].isNumber)
      }
      if let room { return text.fitted(to: room) }
      while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
      return text
    }
    return (line(columns.map(\.title)), rows.map(line))
  }
}
