/// A row before and after, in two states of its table.
// The pointers lead to immutable objects of Sendable types, in states that the holder of this value keeps alive.
struct RowChange: @unchecked Sendable {
  let row: UInt64
  let old: UnsafeRawPointer?
  let new: UnsafeRawPointer?
  /// The stamp of the new row.
  let stamp: UInt64
  /// Whether the row itself is unchanged, but rows that it links to may not be.
  var isLinked = false
  /// The old and the new position of an entry of a list.
  var positions: (old: UInt64, new: UInt64) = (0, 0)
}
