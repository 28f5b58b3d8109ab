/// A number type that LiveStore adds up: integers up to 64 bits, `Double` and `Float`.
///
/// The library provides all conforming types. Do not declare others.
public protocol Summable: Comparable, SummableValue where Summand == Self {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  static func add(_ value: Self, to sum: inout ExactSum, isRemoval: Bool)
  /// Adds optional values in memory to a sum; nil is skipped.
  @_documentation(visibility: internal)
  static func add(optionals: StridedValues, to sum: inout ExactSum)
  /// Adds optional values in memory to the sums of groups; nil is skipped.
  @_documentation(visibility: internal)
  static func add(
    optionals: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums)
  /// The sum as a value: the nearest one for integers, rounded once for other types.
  @_documentation(visibility: internal)
  static func value(of sum: ExactSum) -> Self
}

// In an extension, so that the loops are compiled for each of the library's types.
extension Summable {
  /// Adds values in memory to a sum.
  @_documentation(visibility: internal)
  public static func add(_ values: StridedValues, to sum: inout ExactSum) {
    sum.values += values.count
    values.forEach { address in
      // The caller has values of this type there.
      add(address.object(as: Self.self).pointee, to: &sum, isRemoval: false)
    }
  }

  /// The same for optional values; nil is skipped.
  @_documentation(visibility: internal)
  public static func add(optionals: StridedValues, to sum: inout ExactSum) {
    optionals.forEach { address in
      // The same for optional values.
      guard let value = address.object(as: Self?.self).pointee else { return }
      sum.values += 1
      add(value, to: &sum, isRemoval: false)
    }
  }
}

extension Summable where Self: FixedWidthInteger {
  /// Adds a value to a sum, or subtracts it.
  @_documentation(visibility: internal)
  public static func add(_ value: Self, to sum: inout ExactSum, isRemoval: Bool) {
    sum.integer += isRemoval ? -Int128(value) : Int128(value)
  }

  /// Adds values in memory to a sum.
  @_documentation(visibility: internal)
  public static func add(_ values: StridedValues, to sum: inout ExactSum) {
    // Halves of 64 values do not overflow their sums.
    var (low, high): (Int64, Int64) = (0, 0)
    values.forEach { address in
      // The caller has values of this type there.
      let value = address.object(as: Self.self).pointee
      low &+= Int64(truncatingIfNeeded: value) & 0xFFFF_FFFF
      high &+= Int64(truncatingIfNeeded: value >> 32)
    }
    sum.values += values.count
    sum.integer += Int128(high) << 32 + Int128(low)
  }

  /// Adds values in memory to the sums of groups; `groups` has the number of each value's group.
  @_documentation(visibility: internal)
  public static func add(
    _ values: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums
  ) {
    // The caller has values of this type there.
    sums.addIntegers(groups) { Int128(values[$0].object(as: Self.self).pointee) }
  }

  /// The same for optional values; nil is skipped.
  @_documentation(visibility: internal)
  public static func add(
    optionals: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums
  ) {
    // The same for optional values.
    sums.addIntegers(groups) { optionals[$0].object(as: Self?.self).pointee.map { Int128($0) } }
  }

  /// The sum, or the nearest value of the type if the sum is out of range.
  @_documentation(visibility: internal)
  public static func value(of sum: ExactSum) -> Self { Self(clamping: sum.integer) }
}

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

extension Summable where Self: BinaryFloatingPoint {
  /// Adds values in memory to a sum.
  @_documentation(visibility: internal)
  public static func add(_ values: StridedValues, to sum: inout ExactSum) {
    var run = DoubleRun()
    sum.values += values.count
    values.forEach { address in
      // The caller has values of this type there.
      run.add(Double(address.object(as: Self.self).pointee), to: &sum)
    }
    run.finish(&sum)
  }

  /// The same for optional values; nil is skipped.
  @_documentation(visibility: internal)
  public static func add(optionals: StridedValues, to sum: inout ExactSum) {
    var run = DoubleRun()
    optionals.forEach { address in
      // The same for optional values.
      guard let value = address.object(as: Self?.self).pointee else { return }
      sum.values += 1
      run.add(Double(value), to: &sum)
    }
    run.finish(&sum)
  }

  /// Adds values in memory to the sums of groups; `groups` has the number of each value's group.
  @_documentation(visibility: internal)
  public static func add(
    _ values: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums
  ) {
    // The caller has values of this type there.
    sums.addDoubles(groups) { Double(values[$0].object(as: Self.self).pointee) }
  }

  /// The same for optional values; nil is skipped.
  @_documentation(visibility: internal)
  public static func add(
    optionals: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums
  ) {
    // The same for optional values.
    sums.addDoubles(groups) { optionals[$0].object(as: Self?.self).pointee.map { Double($0) } }
  }
}
