extension String {
  /// The text with others in the place of some scalars.
  func replacingScalars(_ replacements: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let replacement = replacements[scalar] {
        text += replacement
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text with all characters as escapes that a terminal would obey or hide: control characters, line separators,
  /// and characters without width or that change the direction of writing. So data cannot control a terminal, a line
  /// stays one line, and texts that look alike are equal. (JSON allows most of them.)
  ///
  /// The escapes are those of JSON. A joiner between two emoji and a selector that makes one of a letter are left in their
  /// places.
  package var escapingInvisibles: String {
    guard utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }), unicodeScalars.contains(where: Self.isInvisible)
    else { return self }
    var text = ""
    var emoji = Emoji.none
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      let next = emoji.followed(by: scalar, before: rest)
      if Self.isInvisible(scalar), next == .none {
        for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
          let digits = String(unit, radix: 16)
          text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }
      } else {
        text.unicodeScalars.append(scalar)
      }
      emoji = next
    }
    return text
  }

  /// What of an emoji stands before a scalar.
  private enum Emoji {
    case none
    /// A sign that is shown as a picture.
    case picture
    /// One that is shown as a letter unless a selector follows.
    case letter
    /// The selector.
    case selected
    case joined

    /// - Parameter rest: what stands behind the scalar that follows.
    func followed(by scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView) -> Emoji {
      if Self.isEmoji(scalar) { return scalar.properties.isEmojiPresentation ? .picture : .letter }
      switch (self, scalar) {
      // The other one would change nothing.
      case (.letter, "\u{FE0F}"), (.picture, "\u{FE0E}"): return .selected
      case (.picture, "\u{200D}"), (.selected, "\u{200D}"):
        return Self.beginsWithPicture(rest) ? .joined : .none
      default: return .none
      }
    }

    private static func beginsWithPicture(_ scalars: Substring.UnicodeScalarView) -> Bool {
      guard let first = scalars.first, isEmoji(first) else { return false }
      return first.properties.isEmojiPresentation || scalars.dropFirst().first == "\u{FE0F}"
    }

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isEmoji && !scalar.isASCII
    }
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
}
