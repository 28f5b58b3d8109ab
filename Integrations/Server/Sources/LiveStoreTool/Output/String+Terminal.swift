extension String {
  /// The text with escapes, as those of JSON, for what a terminal would obey or hide: control characters, marks of
  /// direction, separators of lines.
  package var escapingInvisibles: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isInvisible else { return text.unicodeScalars.append(scalar) }
      for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }

  /// How many columns of a terminal the text takes.
  package var displayWidth: Int {
    if utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text in so many columns at the least: filled with spaces.
  package func filled(to width: Int, isRight: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - displayWidth))
    return isRight ? padding + self : self + padding
  }

  /// The text in exactly so many columns: cut with an ellipsis, or filled with spaces.
  package func fitted(to width: Int, isRight: Bool = false) -> String {
    var (text, taken) = (self, displayWidth)
    if taken > width {
      (text, taken) = ("", 0)
      for character in self {
        let step = character.displayWidth
        if taken + step > width - 1 { break }
        text.append(character)
        taken += step
      }
      text += "…"
      taken += 1
    }
    let padding = String(repeating: " ", count: max(0, width - taken))
    return isRight ? padding + text : text + padding
  }
}

extension Character {
  /// How many columns of a terminal the character takes: 2 for wide letters and emoji, 0 for a mark by itself.
  fileprivate var displayWidth: Int {
    // To ask whether a longer one is ASCII compares its marks, each with all others.
    if utf8.count <= 2, isASCII { return 1 }
    let widths = unicodeScalars.map(\.displayWidth)
    let isPicture = unicodeScalars.contains { $0 == "\u{FE0F}" || $0 == "\u{200D}" }
    return isPicture ? 2 : widths.max() ?? 0
  }
}

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }

  fileprivate var isInvisible: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: return true
    case 0x20..<0x7F, 0xA1..<0x300: return value == 0xAD
    default: break
    }
    // These join letters and pictures, and choose their form.
    if value == 0x200C || value == 0x200D { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }
}
