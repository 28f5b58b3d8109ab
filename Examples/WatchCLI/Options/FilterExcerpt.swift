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
      if index < place { caret += character.displayWidth }
    }
    if shown.upperBound < characters.count { line += "…" }
    return [line, String(repeating: " ", count: caret) + "^"]
  }
}
