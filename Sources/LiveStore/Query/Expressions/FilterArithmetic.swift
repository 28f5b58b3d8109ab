public import Foundation

// Arithmetic has three kinds of numbers. Integers of all types are computed as `Int`, floating-point numbers as
// `Double`, decimals as `Decimal`. What a kind cannot say is nil, or for integers the nearest one:
//
//               beyond the kind     division by zero   a nil operand
//   Int         the nearest Int     nil                nil
//   Double      infinite or NaN     infinite or NaN    nil
//   Decimal     nil                 nil                nil
//
// For decimals, that is a number whose last digit is more than 80 places from the point.

/// A number as which filters compute: `Int`, `Double` or `Decimal` (F11).
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterArithmetic: Comparable, Sendable, FilterNumeric {
  /// The result of an operation; nil if there is none.
  @_documentation(visibility: internal)
  static func sum(_ lhs: Self, _ rhs: Self) -> Self?
  /// The result of an operation; nil if there is none.
  @_documentation(visibility: internal)
  static func difference(_ lhs: Self, _ rhs: Self) -> Self?
  /// The result of an operation; nil if there is none.
  @_documentation(visibility: internal)
  static func product(_ lhs: Self, _ rhs: Self) -> Self?
  /// The result of an operation; nil if there is none.
  @_documentation(visibility: internal)
  static func quotient(_ lhs: Self, _ rhs: Self) -> Self?
}

/// A type of properties with which filters compute: the integers, `Double`, `Float`, `Decimal`, and optionals of these.
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterOperand: FilterNumeric, Equatable, Sendable {
  /// The number as which it is computed.
  associatedtype Number: FilterArithmetic
  /// The value as a number; nil for a missing one.
  @_documentation(visibility: internal)
  static func number(_ value: Self) -> Number?
}

// MARK: Numbers

extension Int: FilterArithmetic {
  /// The sum, or the nearest integer.
  @_documentation(visibility: internal)
  public static func sum(_ lhs: Int, _ rhs: Int) -> Int? { lhs.clampedSum(rhs) }
  /// The difference, or the nearest integer.
  @_documentation(visibility: internal)
  public static func difference(_ lhs: Int, _ rhs: Int) -> Int? { lhs.clampedDifference(rhs) }
  /// The product, or the nearest integer.
  @_documentation(visibility: internal)
  public static func product(_ lhs: Int, _ rhs: Int) -> Int? { lhs.clampedProduct(rhs) }
  /// The quotient without its fraction; nil for a division by zero.
  @_documentation(visibility: internal)
  public static func quotient(_ lhs: Int, _ rhs: Int) -> Int? { lhs.quotient(rhs) }
}

extension Double: FilterArithmetic {
  /// The sum.
  @_documentation(visibility: internal)
  public static func sum(_ lhs: Double, _ rhs: Double) -> Double? { lhs + rhs }
  /// The difference.
  @_documentation(visibility: internal)
  public static func difference(_ lhs: Double, _ rhs: Double) -> Double? { lhs - rhs }
  /// The product.
  @_documentation(visibility: internal)
  public static func product(_ lhs: Double, _ rhs: Double) -> Double? { lhs * rhs }
  /// The quotient; infinite or NaN for a division by zero.
  @_documentation(visibility: internal)
  public static func quotient(_ lhs: Double, _ rhs: Double) -> Double? { lhs / rhs }
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

extension FilterOperand where Self: FilterArithmetic, Number == Self {
  /// The number itself.
  @_documentation(visibility: internal)
  public static func number(_ value: Self) -> Self? { value }
}

extension FilterOperand where Self: FixedWidthInteger, Number == Int {
  /// The integer, or the nearest one that `Int` has.
  @_documentation(visibility: internal)
  public static func number(_ value: Self) -> Int? { Int(clamping: value) }
}

extension Int: FilterOperand {
  /// Computed as it is.
  public typealias Number = Int
  /// The number itself.
  @_documentation(visibility: internal)
  public static func number(_ value: Int) -> Int? { value }
}
extension Int64: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension Int32: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension Int16: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension Int8: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension UInt: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension UInt64: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension UInt32: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension UInt16: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension UInt8: FilterOperand {
  /// Computed as `Int`.
  public typealias Number = Int
}

extension Double: FilterOperand {
  /// Computed as `Double`.
  public typealias Number = Double
}

extension Decimal: FilterOperand {
  /// Computed as `Decimal`.
  public typealias Number = Decimal
}

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
