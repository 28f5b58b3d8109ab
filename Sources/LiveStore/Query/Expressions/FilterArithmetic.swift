public import Foundation

// Arithmetic has three kinds of numbers. Integers of all types are computed as `Int`, floating-point numbers
// as `Double`, decimals as `Decimal`. A result outside the kind is nil, or for integers the nearest one:
//
//               beyond the kind     division by zero   a nil operand
//   Int         the nearest Int     nil                nil
//   Double      infinite or NaN     infinite or NaN    nil
//   Decimal     nil                 nil                nil
//
// A decimal is beyond its kind if its last digit is more than 80 places from the point.

/// A number type in which filters compute: `Int`, `Double` or `Decimal` (F11).
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterArithmetic: Comparable, FilterOperand where Number == Self {
  /// The type of sums, differences and products: optional if there may be none.
  associatedtype Sum: FilterOperand where Sum.Number == Self
  /// The type of quotients: optional if there may be none.
  associatedtype Quotient: FilterOperand where Quotient.Number == Self
  /// The sum of two numbers.
  @_documentation(visibility: internal)
  static func sum(_ lhs: Self, _ rhs: Self) -> Sum
  /// The difference of two numbers.
  @_documentation(visibility: internal)
  static func difference(_ lhs: Self, _ rhs: Self) -> Sum
  /// The product of two numbers.
  @_documentation(visibility: internal)
  static func product(_ lhs: Self, _ rhs: Self) -> Sum
  /// The quotient of two numbers.
  @_documentation(visibility: internal)
  static func quotient(_ lhs: Self, _ rhs: Self) -> Quotient
  /// The power of two numbers.
  @_documentation(visibility: internal)
  static func power(_ base: Self, _ exponent: Self) -> Quotient
}

/// A type of properties with which filters compute, and which they compare with any other: the integers, `Double`,
/// `Float`, `Decimal`, and optionals of these.
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterOperand: Equatable, Sendable {
  /// The number type in which values are computed.
  associatedtype Number: FilterArithmetic
  /// The value as a number; nil for a missing one.
  @_documentation(visibility: internal)
  static func number(_ value: Self) -> Number?
}

extension FilterOperand where Number == Self {
  /// The number itself.
  @_documentation(visibility: internal)
  public static func number(_ value: Self) -> Self? { value }
}

// MARK: Numbers

extension Int: FilterArithmetic {
  /// The number itself.
  @_documentation(visibility: internal)
  public static func number(_ value: Int) -> Int? { value }
  /// The sum, or the nearest integer.
  @_documentation(visibility: internal)
  public static func sum(_ lhs: Int, _ rhs: Int) -> Int {
    let (result, isBeyond) = lhs.addingReportingOverflow(rhs)
    return isBeyond ? (rhs < 0 ? .min : .max) : result
  }
  /// The difference, or the nearest integer.
  @_documentation(visibility: internal)
  public static func difference(_ lhs: Int, _ rhs: Int) -> Int {
    let (result, isBeyond) = lhs.subtractingReportingOverflow(rhs)
    return isBeyond ? (rhs > 0 ? .min : .max) : result
  }
  /// The product, or the nearest integer.
  @_documentation(visibility: internal)
  public static func product(_ lhs: Int, _ rhs: Int) -> Int {
    let (result, isBeyond) = lhs.multipliedReportingOverflow(by: rhs)
    return isBeyond ? ((lhs < 0) == (rhs < 0) ? .max : .min) : result
  }
  /// The quotient without its fraction; nil for a division by zero.
  @_documentation(visibility: internal)
  public static func quotient(_ lhs: Int, _ rhs: Int) -> Int? {
    if rhs == 0 { return nil }
    let (result, isBeyond) = lhs.dividedReportingOverflow(by: rhs)
    return isBeyond ? .max : result
  }
  /// The power, or the nearest integer; of a negative exponent the quotient without its fraction, nil for zero.
  @_documentation(visibility: internal)
  public static func power(_ base: Int, _ exponent: Int) -> Int? {
    switch base {
    case 0 where exponent < 0: return nil
    case 0, 1: return exponent == 0 ? 1 : base
    case -1: return exponent.isMultiple(of: 2) ? 1 : -1
    default: break
    }
    if exponent < 0 { return 0 }
    var result = 1
    for _ in 0..<exponent {
      // Beyond the type after 63 steps at most.
      let (product, isBeyond) = result.multipliedReportingOverflow(by: base)
      if isBeyond { return base < 0 && !exponent.isMultiple(of: 2) ? .min : .max }
      result = product
    }
    return result
  }
}

extension Double: FilterArithmetic {
  /// The sum.
  @_documentation(visibility: internal)
  public static func sum(_ lhs: Double, _ rhs: Double) -> Double { lhs + rhs }
  /// The difference.
  @_documentation(visibility: internal)
  public static func difference(_ lhs: Double, _ rhs: Double) -> Double { lhs - rhs }
  /// The product.
  @_documentation(visibility: internal)
  public static func product(_ lhs: Double, _ rhs: Double) -> Double { lhs * rhs }
  /// The quotient; infinite or NaN for a division by zero.
  @_documentation(visibility: internal)
  public static func quotient(_ lhs: Double, _ rhs: Double) -> Double { lhs / rhs }
  /// The power.
  @_documentation(visibility: internal)
  public static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}

extension Decimal: FilterArithmetic {
  /// The sum; nil where there is none.
  @_documentation(visibility: internal)
  public static func sum(_ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    result(lhs, rhs, exponent: 0) { $0 + $1 }
  }
  /// The difference; nil where there is none.
  @_documentation(visibility: internal)
  public static func difference(_ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    result(lhs, rhs, exponent: 0) { $0 - $1 }
  }
  /// The product; nil where there is none.
  @_documentation(visibility: internal)
  public static func product(_ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    result(lhs, rhs, exponent: lhs.exponent + rhs.exponent) { $0 * $1 }
  }
  /// The quotient; nil for a division by zero, and where there is none.
  @_documentation(visibility: internal)
  public static func quotient(_ lhs: Decimal, _ rhs: Decimal) -> Decimal? {
    rhs.isZero ? nil : result(lhs, rhs, exponent: lhs.exponent - rhs.exponent) { $0 / $1 }
  }
  /// The power, exact for integral exponents; of others the nearest `Double`. Nil where there is none.
  @_documentation(visibility: internal)
  public static func power(_ base: Decimal, _ exponent: Decimal) -> Decimal? {
    guard let integer = FilterNumber(exponent).json?.integer else {
      let (base, exponent) = (FilterNumber(base).double, FilterNumber(exponent).double)
      return FilterNumber.real(pow(base, exponent)).decimal
    }
    var (result, square, rest) = (Decimal(1), base, integer.magnitude)
    while true {
      if rest & 1 == 1 {
        guard let product = product(result, square) else { return nil }
        result = product
      }
      rest >>= 1
      if rest == 0 { break }
      guard let next = product(square, square) else { return nil }
      square = next
    }
    return integer < 0 ? quotient(1, result) : result
  }

  /// The exponents with which an operation is computed. At its bounds, -128 and 127, `Decimal` ends the process; a
  /// result has up to 39 digits more or fewer.
  private static let exponents = -80...80

  private static func result(
    _ lhs: Decimal, _ rhs: Decimal, exponent: Int, _ compute: (Decimal, Decimal) -> Decimal
  ) -> Decimal? {
    guard !lhs.isNaN, !rhs.isNaN,
      [lhs.exponent, rhs.exponent, exponent].allSatisfy({ exponents.contains($0) })
    else { return nil }
    let result = compute(lhs, rhs)
    return result.isNaN ? nil : result
  }
}

// MARK: Operands

extension FilterOperand where Self: FixedWidthInteger, Number == Int {
  /// The integer, or the nearest one that `Int` has.
  @_documentation(visibility: internal)
  public static func number(_ value: Self) -> Int? { Int(clamping: value) }
}

extension Int64: FilterOperand {}
extension Int32: FilterOperand {}
extension Int16: FilterOperand {}
extension Int8: FilterOperand {}
extension UInt: FilterOperand {}
extension UInt64: FilterOperand {}
extension UInt32: FilterOperand {}
extension UInt16: FilterOperand {}
extension UInt8: FilterOperand {}

extension Float: FilterOperand {
  /// The number that it stands for in comparisons with numbers of other types: itself if it is integral, else the decimal
  /// that it prints as.
  @_documentation(visibility: internal)
  public static func number(_ value: Float) -> Double? { FilterNumber(floating: value).double }
}

extension Optional: FilterOperand where Wrapped: FilterOperand {
  /// The number; nil for a missing one.
  @_documentation(visibility: internal)
  public static func number(_ value: Wrapped?) -> Wrapped.Number? { value.flatMap { Wrapped.number($0) } }
}
