/// A range of values in a filter: `1...5`, `1..<5`, `1...`, `...5` or `..<5`.
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterRange<Bound>: RangeExpression {
  /// The ends, where there are any. The lower one belongs to the range; the upper one does if the range is closed.
  @_documentation(visibility: internal)
  var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) { get }
}

extension ClosedRange: FilterRange {
  /// Both ends.
  @_documentation(visibility: internal)
  public var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension Range: FilterRange {
  /// Both ends.
  @_documentation(visibility: internal)
  public var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) {
    (lowerBound, upperBound, false)
  }
}

extension PartialRangeFrom: FilterRange {
  /// The lower end.
  @_documentation(visibility: internal)
  public var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeThrough: FilterRange {
  /// The upper end.
  @_documentation(visibility: internal)
  public var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: FilterRange {
  /// The upper end.
  @_documentation(visibility: internal)
  public var boundsInFilter: (lower: Bound?, upper: Bound?, isClosed: Bool) { (nil, upperBound, false) }
}
