/// The place of a filter's text that an error is about, to look at:
///
/// ```
///   priority >= 2 AND status CONTAIN "open"
///                            ^
/// ```
package enum FilterExcerpt {
  /// How many characters are shown on either side of the place.
  private static let reach = 60

  /// The text and a caret below a column, counted from 1 in characters.
  package static func lines(of text: String, at column: Int) -> [String] {
    let characters = Array(text)
    let place = min(max(0, column - 1), characters.count)
    let shown = max(0, place - reach)..<min(characters.count, place + reach)
    var (line, caret) = ("  ", 2)
    if shown.lowerBound > 0 { (line, caret) = ("  …", 3) }
    for index in shown {
      let character = String(characters[index]).escapingInvisibles
      line += character
      if index < place { caret += width(character) }
    }
    if shown.upperBound < characters.count { line += "…" }
    return [line, String(repeating: " ", count: caret) + "^"]
  }

  /// How many columns of a terminal a character, or the escape in its place, takes.
  private static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    guard text.count == 1, let scalar = text.unicodeScalars.first else { return text.count }
    return isWide(scalar) ? 2 : 1
  }

  /// Whether terminals give the character two columns: the letters of East Asia and pictures.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
