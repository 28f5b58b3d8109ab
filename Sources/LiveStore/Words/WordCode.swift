/// How words treat a scalar, in one machine word: most letters are folded by looking them up.
struct WordCode {
  private let bits: UInt32

  private init(bits: UInt32) { self.bits = bits }

  private static let separator = WordCode(bits: 0)
  /// A part of a run whose folding depends on its neighbours, or gives another number of scalars.
  private static let other = WordCode(bits: 1)
  private static let aloneBit: UInt32 = 1 << 31

  var isSeparator: Bool { bits == 0 }
  /// Whether the scalar is folded by itself to one scalar.
  var isSimple: Bool { bits > 1 }
  /// The folded scalar, for a simple code.
  var folded: UInt32 { bits & ~WordCode.aloneBit }
  /// Whether a simple code is a word by itself.
  var standsAlone: Bool { bits & WordCode.aloneBit != 0 }

  @inline(__always)
  init(of scalar: UInt32) {
    if scalar < 0x80 {
      // The bit that makes a letter lower-case is set in digits.
      let folded = scalar | 0x20
      bits = folded &- 0x61 < 26 || scalar &- 0x30 < 10 ? folded : 0
    } else if scalar < 0x2000 {
      bits = WordCode.alphabets[Int(scalar) - 0x80]
    } else {
      self = WordCode.beyondAlphabets(scalar)
    }
  }

  private static let alphabets: [UInt32] = (UInt32(0x80)..<0x2000).map { scalar in
    Unicode.Scalar(scalar).map { WordCode(measuring: $0).bits } ?? 0
  }

  /// Folding leaves ideographs, kana and Hangul unchanged.
  @inline(never)
  private static func beyondAlphabets(_ scalar: UInt32) -> WordCode {
    switch scalar {
    case 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FA: return WordCode(bits: scalar | aloneBit)
    case 0xAC00...0xD7A3: return WordCode(bits: scalar)
    default: return Unicode.Scalar(scalar).map { WordPart($0) == .separator ? separator : other } ?? separator
    }
  }

  /// Asks the splitter how it folds a scalar.
  private init(measuring scalar: Unicode.Scalar) {
    guard WordPart(scalar) != .separator else {
      self = .separator
      return
    }
    let words = WordSplitter.words(of: String(scalar))
    let folded = words.first.map { String(decoding: $0, as: UTF8.self).unicodeScalars.map(\.self) } ?? []
    guard WordPart(scalar) == .letter, words.count == 1, folded.count == 1, scalar.isPlain, folded[0].isPlain
    else {
      self = .other
      return
    }
    bits = folded[0].value | (folded[0].isWordByItself ? WordCode.aloneBit : 0)
  }
}
