/// Writes the lines of a screen as the bytes that draw them, only those that differ from the lines before.
package struct FrameEncoder: Sendable {
  private let isColored: Bool
  /// What is on the screen; nil if that is unknown.
  private var drawn: [StyledLine]?

  /// An encoder for a screen of unknown content.
  package init(isColored: Bool) {
    self.isColored = isColored
  }

  /// Forgets what is on the screen.
  package mutating func forget() { drawn = nil }

  /// The bytes that change the screen to these lines; none if it shows them.
  ///
  /// - Parameter columns: how many characters a line of the screen has.
  package mutating func bytes(for lines: [StyledLine], columns: Int) -> [UInt8] {
    var text = drawn == nil ? "\u{1B}[2J" : ""
    for (row, line) in lines.enumerated() where drawn.map({ row >= $0.count || $0[row] != line }) ?? true {
      text += "\u{1B}[\(row + 1);1H" + encoded(line)
      // After the last column the cursor stands on it, and would delete it.
      if line.width < columns { text += "\u{1B}[K" }
    }
    drawn = lines
    // Terminals that know this show the frame at once; others ignore it.
    return text.isEmpty ? [] : Array("\u{1B}[?2026h\(text)\u{1B}[?2026l".utf8)
  }

  /// Each piece is put at its column, so that a character that the terminal takes for wider or narrower than it is
  /// here moves nothing but itself.
  private func encoded(_ line: StyledLine) -> String {
    var (text, width) = ("", 0)
    func add(_ added: String, _ codes: String) {
      let codes = [line.isCurrent ? "7" : "", codes].filter { !$0.isEmpty }.joined(separator: ";")
      text += codes.isEmpty ? added : "\u{1B}[\(codes)m\(added)\u{1B}[0m"
    }
    for piece in line.pieces {
      if width < piece.column { add(String(repeating: " ", count: piece.column - width), "") }
      if !text.utf8.allSatisfy({ $0 < 0x80 }) { text += "\u{1B}[\(piece.column + 1)G" }
      add(piece.text, codes(piece.style))
      width = piece.column + piece.text.displayWidth
    }
    return text
  }

  private func codes(_ style: StyledLine.Style) -> String {
    switch style {
    case .plain: ""
    case .bold: "1"
    case .title: "4"
    case .currentTitle: "4;7"
    case .dim: "2"
    case .changed: isColored ? "1;33" : "1;4"
    case .inserted: isColored ? "32" : "1"
    }
  }
}
