import Foundation

extension String {
  /// The text in the form in which equal texts have the same bytes, which is the one that Swift compares: canonical
  /// composition (NFC).
  ///
  /// By Foundation, but for Hangul, of which its version on Linux leaves some syllables apart and composes some that are
  /// none: by the arithmetic of the Unicode Standard, 3.12. Scalars of Hangul compose with no others.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    guard unicodeScalars.contains(where: Hangul.isPart) else { return precomposedStringWithCanonicalMapping }
    var result = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let first = rest.first {
      let isHangul = Hangul.isPart(first)
      let run = rest.prefix { Hangul.isPart($0) == isHangul }
      rest = rest[run.endIndex...]
      if isHangul {
        result.append(contentsOf: Hangul.composed(run))
      } else {
        result.append(contentsOf: String(run).precomposedStringWithCanonicalMapping.unicodeScalars)
      }
    }
    return String(result)
  }
}

/// Syllables and the letters they are of: leading consonants, vowels, and trailing consonants, of which the first of
/// 28 stands for none.
private enum Hangul {
  private static let (syllable, leading, vowel, trailing): (UInt32, UInt32, UInt32, UInt32) = (
    0xAC00, 0x1100, 0x1161, 0x11A7
  )

  static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    (0x1100...0x11FF).contains(scalar.value) || (0xAC00...0xD7A3).contains(scalar.value)
  }

  static func composed(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
    var result: [UInt32] = []
    for letter in scalars.flatMap({ letters(of: $0.value) }) {
      if let last = result.last, let joined = joined(last, letter) {
        result[result.count - 1] = joined
      } else {
        result.append(letter)
      }
    }
    return result.compactMap(Unicode.Scalar.init)
  }

  private static func letters(of scalar: UInt32) -> [UInt32] {
    guard scalar >= syllable else { return [scalar] }
    let number = scalar - syllable
    let letters = [leading + number / 588, vowel + number % 588 / 28]
    return number % 28 == 0 ? letters : letters + [trailing + number % 28]
  }

  private static func joined(_ last: UInt32, _ letter: UInt32) -> UInt32? {
    if (leading..<leading + 19).contains(last), (vowel..<vowel + 21).contains(letter) {
      return syllable + (last - leading) * 588 + (letter - vowel) * 28
    }
    let isOpen = last >= syllable && (last - syllable) % 28 == 0
    return isOpen && (trailing + 1..<trailing + 28).contains(letter) ? last + letter - trailing : nil
  }
}
