extension Character {
  /// How many columns of a terminal the character takes: 2 for East Asian wide characters and for emoji with all that
  /// belongs to them, 0 for what only marks the character before it, else 1.
  package var displayWidth: Int {
    // Not `asciiValue`, which compares: of letters with very many marks, each with all others.
    if utf8.dropFirst().isEmpty, let ascii = utf8.first { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    let scalars = unicodeScalars
    if let first = scalars.first, first.properties.isEmoji {
      let hasParts = scalars.dropFirst().contains { Self.isEmojiPart($0) }
      if hasParts { return 2 }
      // A single letter of a flag is a letter in a box.
      if first.properties.isEmojiPresentation { return (0x1F1E6...0x1F1FF).contains(first.value) ? 1 : 2 }
    }
    return scalars.reduce(0) { $0 + $1.displayWidth }
  }

  /// Whether a scalar makes a picture of the scalar before it, or continues one.
  private static func isEmojiPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xFE0F, 0x200D, 0x20E3, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF, 0xE0020...0xE007F: true
    default: false
    }
  }
}

extension Unicode.Scalar {
  /// How many columns of a terminal the scalar takes by itself.
  fileprivate var displayWidth: Int {
    // The vowels and final consonants of a Korean syllable stand below and beside its first consonant.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return isWide ? 2 : 1
    }
  }

  /// Whether Unicode gives it two columns: East Asian Width W or F.
  private var isWide: Bool {
    switch value {
    case ..<0x1100: false
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DFF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    default: properties.isEmojiPresentation
    }
  }
}

extension StringProtocol {
  /// How many columns of a terminal the text takes.
  package var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }

  /// The text in exactly so many columns: cut with an ellipsis, or filled with spaces.
  ///
  /// - Complexity: O(columns + length of the characters within them), however long the text is.
  package func fitted(to columns: Int, isRight: Bool = false) -> String {
    var (end, width) = (startIndex, 0)
    // The end of what leaves a column for the ellipsis.
    var (cut, cutWidth) = (startIndex, 0)
    while end < endIndex {
      let step = self[end].displayWidth
      if width + step > columns {
        let dots = columns > 0 ? "…" : ""
        return self[..<cut] + dots + String(repeating: " ", count: Swift.max(0, columns - cutWidth - 1))
      }
      width += step
      formIndex(after: &end)
      if width < columns { (cut, cutWidth) = (end, width) }
    }
    let padding = String(repeating: " ", count: columns - width)
    return isRight ? padding + self : self + padding
  }

  /// The end of a text that is wider than so many columns, behind an ellipsis.
  package func fittedEnd(to columns: Int) -> String {
    var (start, width) = (endIndex, 1)
    while start > startIndex {
      let before = index(before: start)
      width += self[before].displayWidth
      if width > columns { break }
      start = before
    }
    return columns > 0 ? "…" + self[start...] : ""
  }

  /// The text in lines of at most so many columns, one at least.
  package func wrapped(to columns: Int) -> [SubSequence] {
    var (lines, start, width): ([SubSequence], Index, Int) = ([], startIndex, 0)
    for index in indices {
      let step = self[index].displayWidth
      if width + step > columns, start < index {
        lines.append(self[start..<index])
        (start, width) = (index, 0)
      }
      width += step
    }
    return lines + [self[start...]]
  }
}
