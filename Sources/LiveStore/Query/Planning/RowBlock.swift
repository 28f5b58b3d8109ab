/// Up to 64 rows side by side in a leaf of their table, some of which are selected.
package struct RowBlock {
  /// The key of each row, whether selected or not.
  let keys: LeafKeys
  /// The objects of the selected rows.
  let objects: StridedValues

  init(_ keys: LeafKeys, _ first: UnsafeRawPointer, stride: Int, selected: UInt64) {
    self.keys = keys
    objects = StridedValues(first: first, stride: stride, selected: selected)
  }

  /// The values of a stored property of the selected rows.
  func values(at offset: Int) -> StridedValues {
    StridedValues(first: objects.first + offset, stride: objects.stride, selected: objects.selected)
  }
}
