/// How the aggregate value of a group follows from its rows.
enum AggregateFunction<Value: Equatable & Sendable>: Sendable {
  /// By sums to which rows are added and from which they are subtracted.
  case sums(SumFunctions, value: @Sendable (ExactSum) -> Value)
  /// The least or greatest value that is not nil, in a stage ordered by group key and `order`; nil when a required
  /// value is missing.
  case extreme(
    Extreme, order: SortKey, isNil: @Sendable (UnsafeRawPointer, ReadContext) -> Bool,
    value: @Sendable (UnsafeRawPointer?, ReadContext) -> Value?)
}

/// How the values of rows are added up.
struct SumFunctions: Sendable {
  /// Adds a row to a sum, or subtracts it.
  let add: @Sendable (_ row: UnsafeRawPointer, ReadContext, _ isRemoval: Bool, inout ExactSum) -> Void
  /// Adds the rows of a block whose bits are set.
  let addBlock: @Sendable (RowBlock, ReadContext, inout ExactSum) -> Void
  /// Adds rows, which are given by their addresses, to the sums of the groups that have these numbers.
  let addGrouped:
    @Sendable (IndirectValues, ReadContext, _ groups: UnsafeBufferPointer<UInt32>, inout GroupSums) -> Void

  /// The number of rows alone.
  static let none = SumFunctions(
    add: { _, _, _, _ in }, addBlock: { _, _, _ in }, addGrouped: { _, _, _, _ in })
}

/// An end of ascending order.
enum Extreme: Sendable {
  case least, greatest
}
