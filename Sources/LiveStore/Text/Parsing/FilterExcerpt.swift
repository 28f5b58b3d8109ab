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
  ///
  /// - Parameter shown: what is shown for a character, such as an escape of one that is not visible.
  package static func lines(
    of text: String, at column: Int, shown: (Character) -> String = Self.shown
  ) -> [String] {
    // The text may be of any length: an error may be that it is too long.
    let place =
      text.index(text.startIndex, offsetBy: max(0, column - 1), limitedBy: text.endIndex) ?? text.endIndex
    let start = text.index(place, offsetBy: -reach, limitedBy: text.startIndex) ?? text.startIndex
    let end = text.index(place, offsetBy: reach, limitedBy: text.endIndex) ?? text.endIndex
    var (line, caret) = ("  ", 2)
    if start > text.startIndex { (line, caret) = ("  …", 3) }
    for index in text[start..<end].indices {
      let character = shown(text[index])
      line += character
      if index < place { caret += width(character) }
    }
    if end < text.endIndex { line += "…" }
    return [line, String(repeating: " ", count: caret) + "^"]
  }

  /// A character, or a mark in place of one that would break the line or its columns, or make it long.
  package static func shown(_ character: Character) -> String {
    let isVisible = character.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
        scalar == "\u{200D}"
      default: true
      }
    }
    // No letter and no emoji has more.
    return isVisible && character.unicodeScalars.count <= 16 ? String(character) : "\u{FFFD}"
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
