import LiveStore

/// An exact sum of decimals: what is added and subtracted again leaves nothing behind, whatever else was added meanwhile.
///
/// Most numbers are short, and counted in units of 10⁻⁹. The digits of the others are added in groups of nine, by where
/// they stand.
package struct DecimalSum {
  /// The sum of the short numbers, times 10⁹: exact up to 10¹⁴ of them.
  private var billionths: Int128 = 0
  /// The sum of the others: Σ `groups[place]` · 10^(9 · place).
  private var groups: [Int: Int128] = [:]
  /// How many numbers it is of.
  package private(set) var count = 0

  /// Zero.
  package init() {}

  private static let groupSize = 9
  private static let base: Int128 = 1_000_000_000

  /// Adds a number, or subtracts it; what is none is not added.
  ///
  /// - Complexity: O(1) for short numbers, else O(digits).
  package mutating func add(_ value: GroupValue, isRemoval: Bool) {
    switch value {
    case .short(let number): billionths += isRemoval ? -number.billionths : number.billionths
    case .value(.number(let number)):
      let text = number.description
      if let short = ShortDecimal(text.utf8) { return add(.short(short), isRemoval: isRemoval) }
      add(text, isRemoval: isRemoval)
    case .value: return
    }
    count += isRemoval ? -1 : 1
  }

  /// Adds a number that is written as `-12.5` or `1.5e-7`.
  private mutating func add(_ text: String, isRemoval: Bool) {
    let parts = text.utf8.split(separator: UInt8(ascii: "e"))
    let exponent = parts.count > 1 ? Int(String(parts[1]) ?? "") ?? 0 : 0
    let digits = parts[0].drop { $0 == UInt8(ascii: "-") }.map(\.self)
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.count
    let isNegative = (text.utf8.first == UInt8(ascii: "-")) != isRemoval
    for (index, digit) in digits.enumerated() where index != point && digit != UInt8(ascii: "0") {
      // The power of ten of the digit.
      let power = exponent + (index < point ? point - 1 - index : point - index)
      let place = (power - (power < 0 ? Self.groupSize - 1 : 0)) / Self.groupSize
      var value = Int128(digit - UInt8(ascii: "0"))
      for _ in 0..<power - place * Self.groupSize { value *= 10 }
      let sum = (groups[place] ?? 0) + (isNegative ? -value : value)
      groups[place] = sum == 0 ? nil : sum
    }
  }

  /// The sum as the text of a number.
  package var description: String {
    let all = groups.merging([-1: billionths], uniquingKeysWith: +)
    let (low, high) = (all.keys.min() ?? 0, all.keys.max() ?? 0)
    // The digits of each group with what it carries into the next; the last carry has the sign.
    func digits(times sign: Int128) -> (groups: [String], carry: Int128) {
      var carry: Int128 = 0
      // A sum of 128 bits carries into five groups at most.
      let groups = (low...high + 5).map { place in
        let sum = sign * (all[place] ?? 0) + carry
        let rest = (sum % Self.base + Self.base) % Self.base
        carry = (sum - rest) / Self.base
        return String("\(Self.base + rest)".dropFirst())
      }
      return (groups, carry)
    }
    var (sign, sum) = ("", digits(times: 1))
    if sum.carry < 0 { (sign, sum) = ("-", digits(times: -1)) }
    let whole = sum.groups.dropFirst(-low).reversed().joined().drop { $0 == "0" }
    let fraction = sum.groups.prefix(-low).reversed().joined()
    let end = fraction.lastIndex { $0 != "0" }
    return sign + (whole.isEmpty ? "0" : whole) + (end.map { "." + fraction[...$0] } ?? "")
  }

  /// The sum divided by how many numbers it is of, rounded once; nil if it is of none.
  ///
  /// - Complexity: O(digits of the sum)
  package var average: Double? {
    if count == 0 { return nil }
    // A long division, with so many more digits that the next one decides no rounding.
    let sum = description
    let digits = sum + (sum.utf8.contains(UInt8(ascii: ".")) ? "" : ".") + String(repeating: "0", count: 40)
    var (quotient, rest) = ("", 0)
    for scalar in digits.unicodeScalars {
      if let digit = Int(String(scalar)) {
        rest = rest * 10 + digit
        quotient += "\(rest / count)"
        rest %= count
      } else {
        quotient.unicodeScalars.append(scalar)
      }
    }
    return Double(quotient)
  }
}
