/// A line of a screen: pieces of text, each with its style.
package struct StyledLine: Hashable, Sendable {
  /// How a text is set off.
  package enum Style: Hashable, Sendable {
    /// Values as they are.
    case plain
    /// The summary.
    case bold
    /// Titles of columns.
    case title
    /// The title of the column under the cursor, and the cursor of a text that is typed.
    case currentTitle
    /// Help and what is less important.
    case dim
    /// A value that is new in this version.
    case changed
    /// A row that is new in this version.
    case inserted
  }

  /// A text at a column.
  package struct Piece: Hashable, Sendable {
    /// The first of its columns, counted from 0.
    package let column: Int
    /// The text.
    package let text: String
    /// Its style.
    package let style: Style
  }

  /// The pieces from left to right.
  package private(set) var pieces: [Piece] = []
  /// The column after the last piece.
  package private(set) var width = 0
  /// Whether the whole line is set off, as the row under the cursor is.
  package var isCurrent = false

  /// An empty line.
  package init() {}

  /// Adds a text that takes so many columns.
  package mutating func append(_ text: String, width: Int, _ style: Style) {
    if width > 0 { pieces.append(Piece(column: self.width, text: text, style: style)) }
    self.width += width
  }

  /// Leaves columns empty.
  package mutating func skip(_ columns: Int) { width += columns }

  /// The text without styles; empty columns are spaces.
  package var text: String {
    var (text, width) = ("", 0)
    for piece in pieces {
      text += String(repeating: " ", count: max(0, piece.column - width)) + piece.text
      width = piece.column + piece.text.displayWidth
    }
    return text
  }
}
