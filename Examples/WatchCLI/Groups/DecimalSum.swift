import Foundation
import LiveStore

/// An exact sum of decimals: what is added and subtracted again leaves nothing behind, whatever else was added meanwhile.
///
/// A `Decimal` has 38 digits, so 10⁵⁰ + 5 − 10⁵⁰ is 0 in it. Most numbers have few digits, of which it can add any
/// number; the digits of the others are added in groups of nine, by where they stand.
package struct DecimalSum {
  /// The sum of the numbers below 10¹⁵ with up to nine decimals: exact up to 10¹⁴ of them.
  private var common = Decimal(0)
  /// The sum of the others: Σ `groups[place]` · 10^(9 · place).
  private var groups: [Int: Int128] = [:]
  /// How many numbers it is of.
  package private(set) var count = 0

  /// Zero.
  package init() {}

  private static let bound = Decimal(1_000_000_000_000_000)
  private static let groupSize = 9
  private static let base: Int128 = 1_000_000_000

  /// Adds a number, or subtracts it; what is none is not added.
  ///
  /// - Complexity: O(1), or O(digits) for numbers of more than 15 digits before the point or nine behind it.
  package mutating func add(_ value: GroupValue, isRemoval: Bool) {
    switch value {
    case .decimal(let number): add(number, isRemoval: isRemoval)
    case .value(.number(let number)):
      let text = number.description
      if let decimal = Decimal(short: text.utf8) { return add(decimal, isRemoval: isRemoval) }
      count += isRemoval ? -1 : 1
      Self.add(text, isRemoval: isRemoval, to: &groups)
    case .value: break
    }
  }

  private mutating func add(_ number: Decimal, isRemoval: Bool) {
    count += isRemoval ? -1 : 1
    if number.exponent < -Self.groupSize || number.magnitude >= Self.bound {
      Self.add(number.description, isRemoval: isRemoval, to: &groups)
    } else if isRemoval {
      common -= number
    } else {
      common += number
    }
  }

  /// Adds a number that is written as `-12.5` or `1.5e-7`.
  private static func add(_ text: String, isRemoval: Bool, to groups: inout [Int: Int128]) {
    let parts = text.utf8.split(separator: UInt8(ascii: "e"))
    let exponent = parts.count > 1 ? Int(String(parts[1]) ?? "") ?? 0 : 0
    let digits = parts[0].drop { $0 == UInt8(ascii: "-") }.map(\.self)
    let point = digits.firstIndex(of: UInt8(ascii: ".")) ?? digits.count
    let isNegative = (text.utf8.first == UInt8(ascii: "-")) != isRemoval
    for (index, digit) in digits.enumerated() where index != point && digit != UInt8(ascii: "0") {
      // The power of ten of the digit.
      let power = exponent + (index < point ? point - 1 - index : point - index)
      let place = (power - (power < 0 ? groupSize - 1 : 0)) / groupSize
      var value = Int128(digit - UInt8(ascii: "0"))
      for _ in 0..<power - place * groupSize { value *= 10 }
      let sum = (groups[place] ?? 0) + (isNegative ? -value : value)
      groups[place] = sum == 0 ? nil : sum
    }
  }

  /// The sum as the text of a number.
  package var description: String {
    if groups.isEmpty { return common.description }
    var groups = groups
    Self.add(common.description, isRemoval: false, to: &groups)
    guard let low = groups.keys.min(), let high = groups.keys.max() else { return "0" }
    // Each group with what it carries into the next; the last carry has the sign.
    func carried(_ sign: Int128) -> (groups: [Int: Int128], carry: Int128, top: Int) {
      var (result, carry, place): ([Int: Int128], Int128, Int) = ([:], 0, low)
      while place <= high || (carry != 0 && carry != -1) {
        let sum = sign * (groups[place] ?? 0) + carry
        let rest = (sum % Self.base + Self.base) % Self.base
        (result[place], carry, place) = (rest, (sum - rest) / Self.base, place + 1)
      }
      return (result, carry, place - 1)
    }
    var (sign, sum) = ("", carried(1))
    if sum.carry < 0 { (sign, sum) = ("-", carried(-1)) }
    func text(_ places: some Sequence<Int>) -> String {
      places.map { place in
        let digits = "\(sum.groups[place] ?? 0)"
        return String(repeating: "0", count: Self.groupSize - digits.utf8.count) + digits
      }.joined()
    }
    let whole = text((0...max(0, sum.top)).reversed()).drop { $0 == "0" }
    let fraction = low < 0 ? text((low...(-1)).reversed()) : ""
    let end = fraction.utf8.lastIndex { $0 != UInt8(ascii: "0") }.map { fraction.utf8.index(after: $0) }
    let decimals = end.map { "." + fraction[..<$0] } ?? ""
    return sign + (whole.isEmpty ? "0" : String(whole)) + decimals
  }
}
