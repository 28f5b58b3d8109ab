extension String {
  /// The text with all characters as escapes that a terminal would obey or hide: control characters, line separators,
  /// and characters without width or that change the direction of writing. So data cannot control a terminal, a line
  /// stays one line, and texts that look alike are equal. (JSON allows most of them.)
  ///
  /// The escapes are those of JSON. A joiner or selector that belongs to the emoji before it is left in its place.
  package var escapingInvisibles: String {
    guard unicodeScalars.contains(where: Self.isInvisible) else { return self }
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
    if scalar.value < 0x7F { return scalar.value < 0x20 }
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
