import Foundation

// Canonical composition (NFC), Unicode Standard Annex 15: the form in which texts have the same scalars exactly when
// Swift's `==` says that they are equal.
//
// The algorithm is here: decompose, order marks by their classes, compose. Each step is linear in the length:
// Foundation and the standard library take quadratic time for a letter with many marks. Foundation provides
// only the decompositions of single scalars, since a platform's Foundation knows an older Unicode than its
// Swift, leaves some Hangul decomposed and composes some sequences that are not Hangul. Hangul is composed by
// arithmetic (Unicode Standard, 3.12), and compositions added in Unicode 16 are listed.

extension Unicode.Scalar {
  /// Whether the scalar composes with nothing before it, and is unchanged unless a later scalar composes with
  /// it. So a text can be composed in parts that each begin with such a scalar, and the scalar is unchanged
  /// before another such scalar.
  ///
  /// It is false for some scalars for which it could be true; the test is cheaper than composing them.
  var isPlain: Bool {
    if value < 0x370 { return value < 0x300 }
    if (0x4E00..<0xA000).contains(value) || (0xAC00...0xD7A3).contains(value) { return true }
    return !Unicode.Scalar.composing.cover(value) && properties.canonicalCombiningClass == .notReordered
  }

  /// The ranges of scalars that may be the later part of a composition, or be replaced by others, ascending.
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
    result.reserveCapacity(utf8.count)
    var scalars = ComposedScalars(unicodeScalars.makeIterator())
    while let scalar = scalars.next() { result.append(scalar) }
    return String(result)
  }
}

/// The scalars of a text's canonical composition, made in runs: a plain scalar with the next ones that are
/// not plain.
struct ComposedScalars<Source: IteratorProtocol<Unicode.Scalar>>: IteratorProtocol {
  private var source: Source
  /// The scalar that begins the next run.
  private var first: Unicode.Scalar?
  private var run: [CompositionPart] = []
  private var place = 0

  init(_ source: Source) {
    self.source = source
    first = self.source.next()
  }

  /// - Complexity: O(1) on average; O(length of the run) at the start of a run.
  mutating func next() -> Unicode.Scalar? {
    if place < run.count {
      place += 1
      return run[place - 1].scalar
    }
    guard let scalar = first else { return nil }
    first = source.next()
    if scalar.isPlain, first?.isPlain ?? true { return scalar }
    let table = CompositionTable.shared
    run.removeAll(keepingCapacity: true)
    table.decompose(scalar, into: &run)
    while let next = first, !next.isPlain {
      table.decompose(next, into: &run)
      first = source.next()
    }
    CompositionPart.orderMarks(&run)
    table.compose(&run)
    place = 1
    return run[0].scalar
  }
}

/// A scalar with its combining class.
private struct CompositionPart {
  private let word: UInt32

  init(_ scalar: Unicode.Scalar) {
    word = scalar.value | UInt32(scalar.properties.canonicalCombiningClass.rawValue) << 24
  }

  /// A part of a scalar's decomposition.
  init(_ part: Unicode.Scalar, of scalar: Unicode.Scalar, isFirst: Bool) {
    let isStart = isFirst && scalar.properties.canonicalCombiningClass == .notReordered
    word = CompositionPart(part).word | (isStart ? Self.start : 0)
  }

  /// Set in the first part of a scalar that is not a mark. The part itself may be one: U+0F71 of U+0F73.
  /// Marks before it are not reordered with marks behind it.
  private static let start: UInt32 = 0x80_0000

  init(starter: Unicode.Scalar) { word = starter.value }

  var order: Int { Int(word >> 24) }
  /// The word holds a scalar.
  var scalar: Unicode.Scalar { Unicode.Scalar(word & 0x1F_FFFF) ?? "\u{FFFD}" }
  private var isStart: Bool { word & Self.start != 0 }

  /// Puts neighbouring marks in the order of their classes; marks of one class stay in their order.
  ///
  /// - Complexity: O(length).
  static func orderMarks(_ parts: inout [CompositionPart]) {
    var start = 0
    while start < parts.count {
      guard parts[start].order != 0 else {
        start += 1
        continue
      }
      var (end, isOrdered) = (start + 1, true)
      while end < parts.count, parts[end].order != 0, !parts[end].isStart {
        if parts[end].order < parts[end - 1].order { isOrdered = false }
        end += 1
      }
      if !isOrdered {
        var counts = [Int](repeating: 0, count: 256)
        for index in start..<end { counts[parts[index].order] += 1 }
        var places = counts
        var place = start
        for order in counts.indices { (places[order], place) = (place, place + counts[order]) }
        for mark in Array(parts[start..<end]) {
          parts[places[mark.order]] = mark
          places[mark.order] += 1
        }
      }
      start = end
    }
  }
}

/// The decompositions of scalars and the compositions of pairs, made once from Foundation's decompositions of
/// single scalars: asking Foundation for each scalar of a text takes fifty times as long.
private struct CompositionTable: Sendable {
  static let shared = CompositionTable()

  private struct Pair: Hashable {
    let first: Unicode.Scalar
    let second: Unicode.Scalar
  }

  /// The ranges of scalars that are decomposed, ascending.
  private static let decomposable: [ClosedRange<UInt32>] = [
    0xC0...0x233, 0x340...0x3D4, 0x400...0x4F9, 0x622...0x6D3, 0x929...0x934, 0x958...0x9DF, 0xA33...0xA5E,
    0xB48...0xB5D, 0xB94...0xC48, 0xCC0...0xDDE, 0xF43...0x1026, 0x1B06...0x1B43, 0x1E00...0x22ED,
    0x2329...0x232A, 0x2ADC...0x2ADC, 0x304C...0x30FE, 0xF900...0xFB4E, 0x105C9...0x105E4, 0x1109A...0x11938,
    0x16121...0x16128, 0x16D68...0x16D6A, 0x1D15E...0x1D1C0, 0x2F800...0x2FA1D,
  ]

  private var parts: [UInt32: [Unicode.Scalar]] = [:]
  /// A bit for each scalar that is decomposed.
  private var areDecomposed = [UInt64](repeating: 0, count: 0x30000 / 64)
  private var composites: [Pair: Unicode.Scalar] = [:]

  private init() {
    for scalar in Self.decomposable.joined().lazy.compactMap(Unicode.Scalar.init) {
      let text = String(scalar)
      let scalars = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
      guard scalars != [scalar] else { continue }
      add(scalar, scalars)
      // A scalar that stands for another, or is never composed, is no composite.
      guard let last = scalars.last, scalars.count > 1, Self.composed(scalars) == scalar,
        let first = Self.composed(scalars.dropLast())
      else { continue }
      composites[Pair(first: first, second: last)] = scalar
    }
    // Ascending, since some scalars have parts that are listed before them.
    for (scalar, (first, second)) in LateComposition.known.sorted(by: { $0.key < $1.key }) {
      add(scalar, (parts[first.value] ?? [first]) + [second])
      composites[Pair(first: first, second: second)] = scalar
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar, _ scalars: [Unicode.Scalar]) {
    parts[scalar.value] = scalars
    areDecomposed[Int(scalar.value / 64)] |= 1 << UInt64(scalar.value % 64)
  }

  /// Foundation's composition of some scalars, if it is one scalar.
  private static func composed(_ scalars: some Sequence<Unicode.Scalar>) -> Unicode.Scalar? {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    let result = String(text).precomposedStringWithCanonicalMapping.unicodeScalars
    return result.count == 1 ? result.first : nil
  }

  /// Appends a scalar's decomposition.
  func decompose(_ scalar: Unicode.Scalar, into result: inout [CompositionPart]) {
    let word = Int(scalar.value / 64)
    if word < areDecomposed.count, areDecomposed[word] >> UInt64(scalar.value % 64) & 1 == 1 {
      for (index, part) in (parts[scalar.value] ?? [scalar]).enumerated() {
        result.append(CompositionPart(part, of: scalar, isFirst: index == 0))
      }
    } else if let letters = Hangul.letters(of: scalar) {
      for letter in letters { result.append(CompositionPart(letter)) }
    } else {
      result.append(CompositionPart(scalar))
    }
  }

  /// Joins each mark with the last starter if possible and if nothing of its class or above lies between.
  ///
  /// - Complexity: O(length).
  func compose(_ parts: inout [CompositionPart]) {
    var count = 0
    var starter: Int?
    for part in parts {
      if let starter {
        let isBlocked = parts[count - 1].order >= part.order && count - 1 > starter
        if !isBlocked, let joined = joined(parts[starter].scalar, part.scalar) {
          parts[starter] = CompositionPart(starter: joined)
          continue
        }
      }
      if part.order == 0 { starter = count }
      parts[count] = part
      count += 1
    }
    parts.removeLast(parts.count - count)
  }

  private func joined(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    if second.isPlain { return nil }
    if Hangul.isPart(second) { return Hangul.joined(first, second) }
    return composites[Pair(first: first, second: second)]
  }
}

/// Compositions added in Unicode 16, as far as this platform's `==` knows them.
private enum LateComposition {
  static let known: [Unicode.Scalar: (Unicode.Scalar, Unicode.Scalar)] = {
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
}

/// Syllables and their letters: leading consonants, vowels, and trailing consonants; the first of the 28
/// stands for none.
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
