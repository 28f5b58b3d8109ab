/// The text of a value in a table.
package struct TableCell: Hashable, Sendable {
  /// What is shown: strings as they are, other values as JSON, nothing for what is missing.
  package let text: String
  /// Whether it is a number; nil for what is missing or null.
  package let isNumber: Bool?

  /// The cell of a value; nil is a missing one.
  ///
  /// - Parameter limit: of texts with more characters the beginning is enough.
  package init(_ value: ShownValue?, limit: Int = .max) {
    switch value {
    case nil: (text, isNumber) = ("", nil)
    case .null: (text, isNumber) = ("null", nil)
    case .number(let number): (text, isNumber) = (Self.line(number, limit: limit), true)
    case .text(let text), .json(let text): (self.text, isNumber) = (Self.line(text, limit: limit), false)
    }
  }

  /// The beginning of a text on one line, without what a terminal would obey.
  package static func line(_ text: String, limit: Int) -> String { line(start(of: text, limit)) }

  /// The beginning of a text. A character may have any number of marks, of which a terminal shows few.
  private static func start(of text: String, _ limit: Int) -> String {
    guard limit < .max / 8, text.utf8.count > limit else { return text }
    return String(text.unicodeScalars.prefix(8 * limit)).prefix(limit).reduce(into: "") { start, character in
      start.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(32))
    }
  }

  /// The text on one line, without what a terminal would obey.
  package static func line(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 }) else { return text.escapingInvisibles }
    return text.replacingScalars(["\n": "\\n", "\t": "\\t", "\r": "\\r"]).escapingInvisibles
  }
}
