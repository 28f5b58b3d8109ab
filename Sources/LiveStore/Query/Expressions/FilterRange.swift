/// A range of values in a filter: `1...5`, `1..<5`, `1...`, `...5` or `..<5`.
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterRange<Bound>: RangeExpression {
  /// The lower end, if there is one; it always belongs to the range.
  @_documentation(visibility: internal)
  var lowerBoundInFilter: Bound? { get }
  /// The upper end, if there is one.
  @_documentation(visibility: internal)
  var upperBoundInFilter: Bound? { get }
  /// Whether the upper end belongs to the range.
  @_documentation(visibility: internal)
  var isClosedInFilter: Bool { get }
}

extension FilterRange {
  /// None, unless the range says otherwise.
  @_documentation(visibility: internal)
  public var lowerBoundInFilter: Bound? { nil }
  /// None, unless the range says otherwise.
  @_documentation(visibility: internal)
  public var upperBoundInFilter: Bound? { nil }
  /// Open, unless the range says otherwise.
  @_documentation(visibility: internal)
  public var isClosedInFilter: Bool { false }
}

extension ClosedRange: FilterRange {
  /// The range's first value.
  @_documentation(visibility: internal)
  public var lowerBoundInFilter: Bound? { lowerBound }
  /// The range's last value.
  @_documentation(visibility: internal)
  public var upperBoundInFilter: Bound? { upperBound }
  /// Always.
  @_documentation(visibility: internal)
  public var isClosedInFilter: Bool { true }
}

extension Range: FilterRange {
  /// The range's first value.
  @_documentation(visibility: internal)
  public var lowerBoundInFilter: Bound? { lowerBound }
  /// The first value above the range.
  @_documentation(visibility: internal)
  public var upperBoundInFilter: Bound? { upperBound }
}

extension PartialRangeFrom: FilterRange {
  /// The range's first value.
  @_documentation(visibility: internal)
  public var lowerBoundInFilter: Bound? { lowerBound }
}

extension PartialRangeThrough: FilterRange {
  /// The range's last value.
  @_documentation(visibility: internal)
  public var upperBoundInFilter: Bound? { upperBound }
  /// Always.
  @_documentation(visibility: internal)
  public var isClosedInFilter: Bool { true }
}

extension PartialRangeUpTo: FilterRange {
  /// The first value above the range.
  @_documentation(visibility: internal)
  public var upperBoundInFilter: Bound? { upperBound }
}
