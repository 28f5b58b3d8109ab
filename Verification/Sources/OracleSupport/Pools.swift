import Foundation

/// Which values a history is made of.
public struct Palette: Sendable {
  var texts: [String]
  var doubles: [Double]
  var integers: [Int]
  var floats: [Float]
  var quotas: [UInt64]
  var decimals: [Decimal]
  var dates: [Date]
  /// How many ids there are of each entity.
  var ids: Int
  /// How many of a hundred links may lead nowhere.
  var dangling: Int
  /// Whether tables have thousands of rows.
  var isLarge: Bool
  /// Numbers inside embedded values.
  var nestedDoubles: [Double]

  static let tameTexts = [
    "", "a", "b", "ab", "Ann", "ann", "Bob", "swift", "Swift", "zebra", "a b", "10", "9",
  ]
  static let nastyTexts = [
    "", "é", "e\u{301}", "é,", "e\u{301},", "E\u{301}", "e", "f", "aaaaaaaa", "aaaaaaaaé,",
    "aaaaaaaae\u{301}", "aaaaaaaaé",
    "aaaaaaaae\u{301},", "aaaaaaaaf", "aaaaaaa", "aaaaaaaaaaaaaaaaé", "aaaaaaaaaaaaaaaae\u{301}b",
    "aaaaaaaaaaaaaaaab",
    "\u{1112}\u{1161}\u{11AB}", "\u{D55C}", "\u{D558}\u{11AB}", "\u{212B}", "\u{C5}", "A\u{30A}",
    "q\u{307}\u{323}",
    "q\u{323}\u{307}", "\u{FB01}", "fi", "\u{10000}", "\u{FFFD}", "\u{E000}", "\u{10FFFF}", "\u{0}", "a\u{0}",
    "a\u{0}b",
    "\u{DF}", "SS", "\u{130}", "i", "I", "\u{1F1E9}\u{1F1EA}", "\u{1F1E9}", "\u{2F81A}", "\u{51AC}",
    "\u{344}",
  ]
  static let tameDoubles: [Double] = [0, 1, 1.5, -1, 2, 3, 0.1, 0.2, 0.3, 100]
  static let nastyDoubles: [Double] = [
    0, -0.0, .nan, -.nan, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1,
    1.0.nextUp, 0.1,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, 1e-300, 9_007_199_254_740_992, 1e16, -1e16,
  ]
  /// Near to numbers of the other types, and equal to some.
  static let nastyFloats: [Float] = [
    0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 0.1, 1, 16_777_216, 123_456_792, 0x1p63,
    1e16,
  ]
  static let nastyQuotas: [UInt64] = [
    0, 1, 7, 16_777_217, 123_456_790, 1 << 53 + 1, 1 << 63 - 1, 1 << 63, .max - 1, .max,
  ]
  static let nastyDecimals = [
    "0", "1", "-1", "7", "0.1", "0.3", "16777217", "9007199254740993", "9223372036854775807.5",
    "18446744073709551615", "0.10000000000000000001",
  ].compactMap { Decimal(string: $0) }
  static let tameDates = (0..<6).map { Date(timeIntervalSinceReferenceDate: Double($0) * 3600) }
  static let nastyDates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e300),
    Date(timeIntervalSinceReferenceDate: -1e300),
    Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude),
    Date(timeIntervalSinceReferenceDate: -0.0),
    Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
    Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: -.infinity),
  ]

  init(_ random: inout Randomness, _ options: Options) {
    let nastyTexts = options.nastyTexts && random.percent(50)
    let nastyDoubles = options.nastyNumbers && random.percent(50)
    let texts = nastyTexts ? Self.nastyTexts : Self.tameTexts
    // Few values make ties and duplicates.
    self.texts = random.percent(60) ? (0..<(3 + random.below(8))).map { _ in random.pick(texts) } : texts
    let doubles = nastyDoubles ? Self.nastyDoubles : Self.tameDoubles
    self.doubles = doubles
    integers =
      options.nastyNumbers && random.percent(25) ? [0, 1, -1, .max, .min, .max - 1, 7] : Array(-2...6)
    let isNasty = options.nastyNumbers && random.percent(50)
    floats = isNasty ? Self.nastyFloats : Self.tameDoubles.map { Float($0) }
    quotas = isNasty ? Self.nastyQuotas : Array(0...6)
    decimals =
      isNasty
      ? Self.nastyDecimals
      : ["0", "1", "1.5", "-1", "2", "3", "0.1", "0.2"].compactMap { Decimal(string: $0) }
    dates = options.nastyNumbers && random.percent(50) ? Self.nastyDates : Self.tameDates
    isLarge = options.isLarge
    ids = isLarge ? random.pick([300, 1000]) : random.pick([4, 8, 12, 24])
    dangling = random.pick([0, 0, 1, 5])
    nestedDoubles = options.nestedNaN ? doubles : doubles.filter { !$0.isNaN }
  }

  /// The same values, but links lead to what is there, where there is something.
  var withoutDangling: Palette {
    var palette = self
    palette.dangling = 0
    return palette
  }
}
