/// How the aggregate value of a group follows from its rows.
enum AggregateFunction<Value: Equatable & Sendable>: Sendable {
  /// By sums to which rows are added and from which they are subtracted.
  case sums(
    add: @Sendable (UnsafeRawPointer, ReadContext, Bool, inout ExactSum) -> Void,
    value: @Sendable (ExactSum) -> Value)
  /// The least or greatest value that is not nil, in a stage ordered by group key and `order`; nil when a required
  /// value is missing.
  case extreme(
    Extreme, order: SortKey, isNil: @Sendable (UnsafeRawPointer, ReadContext) -> Bool,
    value: @Sendable (UnsafeRawPointer?, ReadContext) -> Value?)
}

/// An end of ascending order.
enum Extreme: Sendable {
  case least, greatest
}
