extension String {
  /// The text with all characters as escapes that a terminal would obey or hide: control characters, line separators,
  /// and characters without width or that change the direction of writing. So data cannot control a terminal, a line
  /// stays one line, and texts that look alike are equal. (JSON allows most of them.)
  ///
  /// The escapes are those of JSON. A joiner or selector that belongs to the emoji before it is left in its place.
  package var escapingInvisibles: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }), unicodeScalars.contains(where: Self.isInvisible)
    else { return self }
    var text = ""
    var isAfterEmoji = false
    for scalar in unicodeScalars {
      if Self.isInvisible(scalar), !(isAfterEmoji && Self.isPartOfEmoji(scalar)) {
        for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
          let digits = String(unit, radix: 16)
          text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }
        isAfterEmoji = false
      } else {
        text.unicodeScalars.append(scalar)
        isAfterEmoji =
          scalar.properties.isEmoji && !scalar.isASCII || isAfterEmoji && Self.isPartOfEmoji(scalar)
      }
    }
    return text
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20: return true
    // ASCII, Latin letters, Chinese characters and Korean syllables, of which text mostly consists: looking up
    // properties takes longer.
    case 0x20..<0x7F, 0xC0..<0x300, 0x4E00..<0xA000, 0xAC00..<0xD7A4: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// Whether it is the joiner, or a selector of text or picture.
  private static func isPartOfEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200D}" || scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
  }
}
