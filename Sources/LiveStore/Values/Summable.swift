/// A number type that LiveStore adds up: integers up to 64 bits, `Double` and `Float`.
///
/// The library provides all conforming types. Do not declare others.
public protocol Summable: Comparable, Sendable {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  static func add(_ value: Self, to sum: inout ExactSum, isRemoval: Bool)
  /// The sum as a value: the nearest one for integers, rounded once for other types.
  @_documentation(visibility: internal)
  static func value(of sum: ExactSum) -> Self
}

extension Summable where Self: FixedWidthInteger {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  public static func add(_ value: Self, to sum: inout ExactSum, isRemoval: Bool) {
    sum.integer += isRemoval ? -Int128(value) : Int128(value)
  }

  /// The sum, or the nearest value of the type if the sum is out of range.
  @_documentation(visibility: internal)
  public static func value(of sum: ExactSum) -> Self { Self(clamping: sum.integer) }
}

extension Int: Summable {}
extension Int64: Summable {}
extension Int32: Summable {}
extension Int16: Summable {}
extension Int8: Summable {}
extension UInt: Summable {}
extension UInt64: Summable {}
extension UInt32: Summable {}
extension UInt16: Summable {}
extension UInt8: Summable {}

extension Double: Summable {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  public static func add(_ value: Double, to sum: inout ExactSum, isRemoval: Bool) {
    sum.add(value, isRemoval: isRemoval)
  }

  /// The nearest double to the exact sum.
  @_documentation(visibility: internal)
  public static func value(of sum: ExactSum) -> Double { sum.double }
}

extension Float: Summable {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  public static func add(_ value: Float, to sum: inout ExactSum, isRemoval: Bool) {
    sum.add(Double(value), isRemoval: isRemoval)
  }

  /// The exact sum, rounded by way of `Double`.
  @_documentation(visibility: internal)
  public static func value(of sum: ExactSum) -> Float { Float(sum.double) }
}
