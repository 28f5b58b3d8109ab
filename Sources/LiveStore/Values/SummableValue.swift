/// A value that LiveStore adds up: a number, or an optional one, whose nil is skipped.
///
/// The library provides all conforming types. Do not declare others.
public protocol SummableValue: Sendable {
  /// The type of the sum.
  associatedtype Summand: Summable
  /// The number; nil for a missing one.
  @_documentation(visibility: internal)
  var summand: Summand? { get }
  /// Adds values in memory to a sum.
  @_documentation(visibility: internal)
  static func add(_ values: StridedValues, to sum: inout ExactSum)
  /// Adds values in memory to the sums of groups; `groups` has the number of each value's group.
  @_documentation(visibility: internal)
  static func add(_ values: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums)
}

extension Summable {
  /// The number itself.
  @_documentation(visibility: internal)
  public var summand: Self? { self }
}

extension Optional: SummableValue where Wrapped: Summable {
  /// The number; nil for a missing one.
  @_documentation(visibility: internal)
  public var summand: Wrapped? { self }
  /// Adds values in memory to a sum.
  @_documentation(visibility: internal)
  public static func add(_ values: StridedValues, to sum: inout ExactSum) {
    Wrapped.add(optionals: values, to: &sum)
  }
  /// Adds values in memory to the sums of groups; `groups` has the number of each value's group.
  @_documentation(visibility: internal)
  public static func add(
    _ values: IndirectValues, of groups: UnsafeBufferPointer<UInt32>, to sums: inout GroupSums
  ) {
    Wrapped.add(optionals: values, of: groups, to: &sums)
  }
}
