/// A number digit by digit: ±digits × 10^exponent, NaN or an infinity. What filters compare and compute, independent of
/// the store.
package struct ExactNumber: Hashable, Sendable {
  private enum Kind { case finite, infinite, notANumber }
  private var kind = Kind.finite
  private var isNegative = false
  /// From the last digit to the first, without zeros at either end.
  private var digits: [Int] = []
  private var exponent = 0

  private init(_ kind: Kind, isNegative: Bool) { (self.kind, self.isNegative) = (kind, isNegative) }

  private init(isNegative: Bool, digits: [Int], exponent: Int) {
    let zeros = digits.prefix { $0 == 0 }.count
    self.digits = Array(digits.dropFirst(zeros))
    while self.digits.last == 0 { self.digits.removeLast() }
    self.exponent = self.digits.isEmpty ? 0 : exponent + zeros
    self.isNegative = isNegative && !self.digits.isEmpty
  }

  /// The number that `-12.5e-3` and the like denote.
  package init(text: String) {
    let parts = text.lowercased().split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let places = mantissa.count > 1 ? mantissa[1].count : 0
    self.init(
      isNegative: text.hasPrefix("-"),
      digits: mantissa.joined().compactMap(\.wholeNumberValue).reversed(),
      exponent: (parts.count > 1 ? Int(parts[1].drop { $0 == "+" }) ?? 0 : 0) - places)
  }

  /// An integer.
  package init(_ value: some BinaryInteger) { self.init(text: "\(value)") }
  /// A floating-point number: an integral one below 2^63 is itself, any other one the decimal that it prints as.
  package init<Value: BinaryFloatingPoint>(floating value: Value) {
    if let integer = Int64(exactly: value) {
      self.init(integer)
    } else if value.isFinite {
      self.init(text: "\(value)")
    } else {
      self.init(value.isNaN ? .notANumber : .infinite, isNegative: value < 0)
    }
  }

  /// How many digits it has.
  package var count: Int { digits.count }
  package var isZero: Bool { kind == .finite && digits.isEmpty }
  package var isIntegral: Bool { kind == .finite && exponent >= 0 }
  private var sign: Int { isZero || kind == .notANumber ? 0 : isNegative ? -1 : 1 }
  /// The power of ten above the first digit.
  private var top: Int { digits.count + exponent }

  /// The nearest double.
  package var double: Double {
    switch kind {
    case .notANumber: .nan
    case .infinite: isNegative ? -.infinity : .infinity
    case .finite: digits.isEmpty ? 0 : Double("\(isNegative ? "-" : "")\(digitText)e\(exponent)") ?? .nan
    }
  }

  /// The nearest `Int` to an integral number.
  package var clamped: Int {
    if top > 20 { return isNegative ? .min : .max }
    let text = digitText + String(repeating: "0", count: max(0, exponent))
    return Int(clamping: Int128((isNegative ? "-" : "") + (text.isEmpty ? "0" : text)) ?? 0)
  }

  private var digitText: String { digits.reversed().map { "\($0)" }.joined() }
}

extension ExactNumber {
  /// Negative, zero or positive; nil with NaN.
  package static func order(_ left: ExactNumber, _ right: ExactNumber) -> Int? {
    if left.kind == .notANumber || right.kind == .notANumber { return nil }
    if left.sign != right.sign { return left.sign - right.sign }
    if left.kind == .infinite || right.kind == .infinite {
      return left.kind == right.kind ? 0 : left.kind == .infinite ? left.sign : -right.sign
    }
    return left.sign * magnitudeOrder(left, right)
  }

  private static func magnitudeOrder(_ left: ExactNumber, _ right: ExactNumber) -> Int {
    if left.isZero || right.isZero { return (left.isZero ? 0 : 1) - (right.isZero ? 0 : 1) }
    if left.top != right.top { return left.top < right.top ? -1 : 1 }
    let (a, b) = (Array(left.digits.reversed()), Array(right.digits.reversed()))
    return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  package static prefix func - (number: ExactNumber) -> ExactNumber {
    var number = number
    number.isNegative = !number.isNegative && number.sign != 0
    return number
  }

  package static func - (left: ExactNumber, right: ExactNumber) -> ExactNumber { left + -right }

  /// The sum of two finite numbers.
  package static func + (left: ExactNumber, right: ExactNumber) -> ExactNumber {
    let exponent = min(left.exponent, right.exponent)
    func aligned(_ number: ExactNumber) -> [Int] {
      Array(repeating: 0, count: number.exponent - exponent) + number.digits
    }
    if left.isZero { return right }
    if right.isZero { return left }
    let isLess = magnitudeOrder(left, right) < 0
    let (large, small) = isLess ? (right, left) : (left, right)
    var (result, carry) = (aligned(large), 0)
    let others = aligned(small)
    let step = left.isNegative == right.isNegative ? 1 : -1
    for index in result.indices {
      let digit = result[index] + step * (index < others.count ? others[index] : 0) + carry
      result[index] = (digit + 10) % 10
      carry = digit >= 10 ? 1 : digit < 0 ? -1 : 0
    }
    if carry > 0 { result.append(carry) }
    return ExactNumber(isNegative: large.isNegative, digits: result, exponent: exponent)
  }

  /// The product of two finite numbers.
  package static func * (left: ExactNumber, right: ExactNumber) -> ExactNumber {
    var result = [Int](repeating: 0, count: left.digits.count + right.digits.count + 1)
    for (i, a) in left.digits.enumerated() {
      var carry = 0
      for (j, b) in right.digits.enumerated() {
        let digit = result[i + j] + a * b + carry
        (result[i + j], carry) = (digit % 10, digit / 10)
      }
      result[i + right.digits.count] += carry
    }
    return ExactNumber(
      isNegative: left.isNegative != right.isNegative, digits: result,
      exponent: left.exponent + right.exponent)
  }

  /// The quotient of two finite numbers, the second not zero: exact, or to 60 digits with a 1 behind them that stands for
  /// the rest.
  package static func / (left: ExactNumber, right: ExactNumber) -> ExactNumber {
    if left.isZero { return left }
    var divisor = right
    (divisor.isNegative, divisor.exponent) = (false, 0)
    var rest = left
    rest.isNegative = false
    // So that the first digit of the quotient stands before the point, or behind it.
    let shift = rest.top - divisor.top
    rest.exponent -= shift
    var digits: [Int] = []
    for _ in 0..<60 where !rest.isZero {
      var digit = 0
      while magnitudeOrder(rest, divisor) >= 0 {
        rest = rest - divisor
        digit += 1
      }
      digits.append(digit)
      rest.exponent += rest.isZero ? 0 : 1
    }
    if !rest.isZero { digits.append(1) }
    return ExactNumber(
      isNegative: left.isNegative != right.isNegative, digits: digits.reversed(),
      exponent: shift - right.exponent - digits.count + 1)
  }

  /// The number without its fraction.
  package var truncated: ExactNumber {
    guard kind == .finite, exponent < 0 else { return self }
    return ExactNumber(isNegative: isNegative, digits: Array(digits.dropFirst(-exponent)), exponent: 0)
  }

  package var magnitude: ExactNumber { isNegative ? -self : self }

  /// The greatest integral number that is not above it.
  package var floor: ExactNumber {
    let whole = truncated
    return isNegative && whole != self ? whole - ExactNumber(1) : whole
  }
}
