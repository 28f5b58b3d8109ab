/// A `numeric` in binary form: digits to the base 10,000, of which the first has a given weight.
///
///     int16 number of digits | int16 weight | uint16 sign | uint16 decimals that are shown | int16 digits …
///
/// The value is the sum of `digit[i] * 10_000 ^ (weight - i)`.
struct BinaryNumeric {
  enum Sign { case positive, negative, nan, infinity, negativeInfinity }

  let sign: Sign
  private let weight: Int
  private let scale: Int
  private let count: Int
  private let bytes: UnsafeRawBufferPointer

  /// A value in bytes that are valid as long as this is used; nil if they are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 8 else { return nil }
    func field(_ index: Int) -> UInt16 {
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }
    count = Int(field(0))
    weight = Int(Int16(bitPattern: field(1)))
    scale = Int(field(3))
    switch field(2) {
    case 0x0000: sign = .positive
    case 0x4000: sign = .negative
    case 0xC000: sign = .nan
    case 0xD000: sign = .infinity
    case 0xF000: sign = .negativeInfinity
    default: return nil
    }
    guard bytes.count == 8 + 2 * count, scale < 0x4000 else { return nil }
    for index in 0..<count where field(4 + index) > 9_999 { return nil }
    self.bytes = bytes
  }

  var isFinite: Bool { sign == .positive || sign == .negative }

  /// The digit of a weight; zero where there is none.
  private func digit(weight: Int) -> Int {
    let index = self.weight - weight
    guard index >= 0 && index < count else { return 0 }
    return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 + 2 * index, as: UInt16.self)))
  }

  private var lowestWeight: Int { weight - count + 1 }

  /// The value as an integer, if it is one and fits.
  func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    guard isFinite else { return nil }
    if count == 0 { return 0 }
    // A fraction that is zero may be written.
    if lowestWeight < 0 {
      for weight in lowestWeight...min(-1, weight) where digit(weight: weight) != 0 { return nil }
    }
    guard weight >= 0 else { return 0 }
    var number: Number = 0
    for weight in stride(from: weight, through: 0, by: -1) {
      // Base 10,000 does not fit the smallest integers, so each digit is taken apart.
      var rest = digit(weight: weight)
      for unit in [1_000, 100, 10, 1] {
        let decimal = Number(truncatingIfNeeded: rest / unit)
        guard let next = number.appending(decimal, base: 10, sign == .negative) else { return nil }
        number = next
        rest %= unit
      }
    }
    return number
  }

  /// The value as the server writes it; nil if that has more zeros than are read, of which no text is made.
  var sentText: String? {
    let digits = 4 * max(0, weight + 1) + scale
    // The first and the last group of four digits may begin or end with zeros.
    return isFinite && digits > 4 * count + NumericText.maximumZeros + 8 ? nil : text
  }

  /// The value as the digits that were sent, with an exponent, from which numbers are read.
  var numberText: String {
    guard isFinite, count > 0 else { return isFinite ? "0" : text }
    var text: [UInt8] = sign == .negative ? [UInt8(ascii: "-")] : []
    for index in 0..<count { Self.append(digit(weight: weight - index), to: &text) }
    return String(decoding: text, as: UTF8.self) + "e\(4 * lowestWeight)"
  }

  private static func append(_ digit: Int, from unit: Int = 1_000, to text: inout [UInt8]) {
    var (rest, unit) = (digit, unit)
    while unit > 0 {
      text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
      rest %= unit
      unit /= 10
    }
  }

  /// The value as the server writes it.
  var text: String {
    switch sign {
    case .nan: return "NaN"
    case .infinity: return "Infinity"
    case .negativeInfinity: return "-Infinity"
    case .positive, .negative: break
    }
    var text: [UInt8] = sign == .negative ? [UInt8(ascii: "-")] : []
    if weight < 0 {
      text.append(UInt8(ascii: "0"))
    } else {
      let first = digit(weight: weight)
      Self.append(first, from: first >= 1_000 ? 1_000 : first >= 100 ? 100 : first >= 10 ? 10 : 1, to: &text)
      for weight in stride(from: weight - 1, through: 0, by: -1) {
        Self.append(digit(weight: weight), to: &text)
      }
    }
    if scale > 0 {
      text.append(UInt8(ascii: "."))
      let end = text.count + scale
      for weight in 1...(scale + 3) / 4 { Self.append(digit(weight: -weight), to: &text) }
      text.removeLast(text.count - end)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Numbers of any length, as texts.
enum NumericText {
  /// How many zeros a number may have before and behind its other digits: ten bytes may stand for 131,072 digits. A number of a
  /// declared precision has up to 1,000 digits, and as many zeros behind them.
  static let maximumZeros = 2_000

  /// Whether a number has no more zeros than are read.
  static func isReadable(_ text: UnsafeRawBufferPointer) -> Bool {
    if text.count <= maximumZeros { return true }
    func zeros(_ bytes: some Sequence<UInt8>) -> Int {
      bytes.lazy.prefix { !(UInt8(ascii: "1")...UInt8(ascii: "9") ~= $0) }.count { $0 == UInt8(ascii: "0") }
    }
    return zeros(text) + zeros(text.reversed()) <= maximumZeros
  }
}
