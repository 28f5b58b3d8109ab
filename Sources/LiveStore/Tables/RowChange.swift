/// A row before and after, in two states of its table.
// The pointers lead to immutable objects of Sendable types, in states that the holder of this value keeps alive.
package struct RowChange: @unchecked Sendable {
  package let row: UInt64
  package let old: UnsafeRawPointer?
  package let new: UnsafeRawPointer?
  /// The stamp of the new row.
  package let stamp: UInt64
  /// Whether the row itself is unchanged, but rows that it links to may not be.
  var isLinked = false
  /// The old and the new position of an entry of a list.
  package var positions: (old: UInt64, new: UInt64) = (0, 0)

  package init(
    row: UInt64, old: UnsafeRawPointer?, new: UnsafeRawPointer?, stamp: UInt64, isLinked: Bool = false,
    positions: (old: UInt64, new: UInt64) = (0, 0)
  ) {
    self.row = row
    self.old = old
    self.new = new
    self.stamp = stamp
    self.isLinked = isLinked
    self.positions = positions
  }
}
