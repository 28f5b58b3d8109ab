import Foundation

// Canonical composition (NFC), Unicode Standard Annex 15: the form in which texts have the same scalars exactly when
// Swift's `==` says that they are equal.
//
// The algorithm is here: decompose, order marks by their classes, compose. Foundation provides only the decomposition
// of one scalar and the composition of two, since the Foundation of a platform knows an older Unicode than its Swift
// does, leaves some Hangul decomposed and composes some sequences that are not Hangul. Hangul is composed by
// arithmetic (Unicode Standard, 3.12), and compositions added in Unicode 16 are listed.

extension Unicode.Scalar {
  /// Whether it composes with nothing before it, and is unchanged unless something composes with it. So a text can be
  /// composed in parts that each begin with such a scalar, and the scalar is unchanged before another such scalar.
  ///
  /// It is false for some scalars for which it could be true; the test is cheaper than composing them.
  var isPlain: Bool {
    if value < 0x300 { return true }
    if (0x4E00..<0xA000).contains(value) || (0xAC00...0xD7A3).contains(value) { return true }
    return !Unicode.Scalar.mayCompose(value) && properties.canonicalCombiningClass == .notReordered
  }

  /// Whether it may be the later part of a composition, or be replaced by other scalars.
  private static func mayCompose(_ value: UInt32) -> Bool {
    var (low, high) = (0, composing.count)
    while low < high {
      let middle = (low + high) / 2
      if composing[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < composing.count && composing[low].contains(value)
  }

  /// Where such scalars are, ascending.
  private static let composing: [ClosedRange<UInt32>] = [
    0x300...0x374, 0x37E...0x37E, 0x387...0x387, 0x653...0x655, 0x93C...0x93C, 0x958...0x95F, 0x9BE...0x9BE,
    0x9D7...0x9DF, 0xA33...0xA36, 0xA59...0xA5E, 0xB3E...0xB3E, 0xB56...0xB5D, 0xBBE...0xBBE, 0xBD7...0xBD7,
    0xC56...0xC56, 0xCC2...0xCC2, 0xCD5...0xCD6, 0xD3E...0xD3E, 0xD57...0xD57, 0xDCA...0xDDF, 0xF43...0xFB9,
    0x102E...0x102E, 0x1160...0x11FF, 0x1B35...0x1B35, 0x1F71...0x1FFD, 0x2000...0x2001, 0x2126...0x212B,
    0x2329...0x232A, 0x2ADC...0x2ADC, 0x3099...0x309A, 0xF900...0xFAFF, 0xFB1D...0xFB4E, 0x10500...0x1D1FF,
    0x2F800...0x2FA1F,
  ]
}

extension String {
  /// The text in canonical composition.
  ///
  /// - Complexity: O(length); for text that is already composed, one test of each scalar.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) || unicodeScalars.allSatisfy(\.isPlain) { return self }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: Composition.composed(Composition.decomposed(unicodeScalars)))
    return String(result)
  }
}

private enum Composition {
  typealias Part = (scalar: Unicode.Scalar, order: UInt8)

  /// The decomposed scalars with their combining classes, marks in the order of their classes.
  static func decomposed(_ scalars: String.UnicodeScalarView) -> [Part] {
    var result: [Part] = []
    func append(_ scalar: Unicode.Scalar) {
      result.append((scalar, scalar.properties.canonicalCombiningClass.rawValue))
    }
    func decompose(_ scalar: Unicode.Scalar) {
      if scalar.value < 0xC0 {
        append(scalar)
      } else if let (first, second) = LateComposition.parts[scalar] {
        decompose(first)
        append(second)
      } else if let letters = Hangul.letters(of: scalar) {
        letters.forEach(append)
      } else {
        String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.forEach(append)
      }
    }
    scalars.forEach(decompose)
    var start = 0
    while let first = result[start...].firstIndex(where: { $0.order != 0 }) {
      start = result[first...].firstIndex { $0.order == 0 } ?? result.count
      let marks = result[first..<start].enumerated()
      result.replaceSubrange(
        first..<start,
        with: marks.sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element))
    }
    return result
  }

  /// Joins each mark with the last starter if possible and if nothing of its class or above lies between.
  static func composed(_ parts: [Part]) -> [Unicode.Scalar] {
    var result: [Part] = []
    var starter: Int?
    for part in parts {
      if let starter, let last = result.last {
        let isBlocked = last.order >= part.order && result.count - 1 > starter
        if !isBlocked, let joined = joined(result[starter].scalar, part.scalar) {
          result[starter].scalar = joined
          continue
        }
      }
      if part.order == 0 { starter = result.count }
      result.append(part)
    }
    return result.map(\.scalar)
  }

  private static func joined(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    if second.isPlain { return nil }
    if Hangul.isPart(second) { return Hangul.joined(first, second) }
    if let late = LateComposition.composites[LateComposition.Pair(first: first, second: second)] {
      return late
    }
    // Foundation composes some scalars only when the first is decomposed, such as U+0CCA and U+0CD5.
    var pair = String(first).decomposedStringWithCanonicalMapping.unicodeScalars
    pair.append(second)
    let result = String(pair).precomposedStringWithCanonicalMapping.unicodeScalars
    return result.count == 1 ? result.first : nil
  }
}

/// Compositions added in Unicode 16, as far as this platform's `==` knows them.
private enum LateComposition {
  struct Pair: Hashable {
    let first: Unicode.Scalar
    let second: Unicode.Scalar
  }

  static let parts: [Unicode.Scalar: (Unicode.Scalar, Unicode.Scalar)] = {
    let all: [(Unicode.Scalar, Unicode.Scalar, Unicode.Scalar)] = [
      ("\u{105C9}", "\u{105D2}", "\u{307}"), ("\u{105E4}", "\u{105DA}", "\u{307}"),
      ("\u{11383}", "\u{11382}", "\u{113C9}"), ("\u{11385}", "\u{11384}", "\u{113BB}"),
      ("\u{1138E}", "\u{1138B}", "\u{113C2}"), ("\u{11391}", "\u{11390}", "\u{113C9}"),
      ("\u{113C5}", "\u{113C2}", "\u{113C2}"), ("\u{113C7}", "\u{113C2}", "\u{113B8}"),
      ("\u{113C8}", "\u{113C2}", "\u{113C9}"), ("\u{16121}", "\u{1611E}", "\u{1611E}"),
      ("\u{16122}", "\u{1611E}", "\u{16129}"), ("\u{16123}", "\u{1611E}", "\u{1611F}"),
      ("\u{16124}", "\u{16129}", "\u{1611F}"), ("\u{16125}", "\u{1611E}", "\u{16120}"),
      ("\u{16126}", "\u{16121}", "\u{1611F}"), ("\u{16127}", "\u{16122}", "\u{1611F}"),
      ("\u{16128}", "\u{16121}", "\u{16120}"), ("\u{16D68}", "\u{16D67}", "\u{16D67}"),
      ("\u{16D69}", "\u{16D63}", "\u{16D67}"), ("\u{16D6A}", "\u{16D69}", "\u{16D67}"),
    ]
    let known = all.filter { String($0.0) == String($0.1) + String($0.2) }
    return Dictionary(uniqueKeysWithValues: known.map { ($0.0, ($0.1, $0.2)) })
  }()

  static let composites: [Pair: Unicode.Scalar] = Dictionary(
    uniqueKeysWithValues: parts.map { (Pair(first: $1.0, second: $1.1), $0) })
}

/// Syllables and their letters: leading consonants, vowels, and trailing consonants, of which the first of 28 stands
/// for none.
private enum Hangul {
  private static let (syllable, leading, vowel, trailing): (UInt32, UInt32, UInt32, UInt32) = (
    0xAC00, 0x1100, 0x1161, 0x11A7
  )

  /// Whether it is a letter of Hangul.
  static func isPart(_ scalar: Unicode.Scalar) -> Bool { (0x1100...0x11FF).contains(scalar.value) }

  /// The letters of a syllable; nil for other scalars.
  static func letters(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    guard (syllable...0xD7A3).contains(scalar.value) else { return nil }
    let number = scalar.value - syllable
    var letters = [leading + number / 588, vowel + number % 588 / 28]
    if number % 28 != 0 { letters.append(trailing + number % 28) }
    return letters.compactMap(Unicode.Scalar.init)
  }

  static func joined(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    let (last, letter) = (first.value, second.value)
    if (leading..<leading + 19).contains(last), (vowel..<vowel + 21).contains(letter) {
      return Unicode.Scalar(syllable + (last - leading) * 588 + (letter - vowel) * 28)
    }
    let isOpen = (syllable...0xD7A3).contains(last) && (last - syllable) % 28 == 0
    return isOpen && (trailing + 1..<trailing + 28).contains(letter)
      ? Unicode.Scalar(last + letter - trailing) : nil
  }
}
