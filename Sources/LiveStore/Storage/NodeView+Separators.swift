/// Separators: the first keys of an inner node's children (S3).
extension NodeView {
  /// This node's separator in its parent.
  var separator: TreeKey {
    guard layout.order == .first else { return keys[0] }
    return TreeKey(keys[0].first, height == 0 ? rowMap : 0)
  }

  /// For a leaf: which of the 64 numbers from its first key on the leaf has.
  private var rowMap: UInt64 {
    var count = count
    // Numbers of a run are consecutive.
    if form == .run { return UInt64.max &>> (64 - UInt64(count)) }
    let keys = keys
    let low = keys[0].first
    // Keys ascend: if the last one is near enough, all are, and no shift needs a test.
    while keys[count &- 1].first &- low >= 64 { count &-= 1 }
    var map: UInt64 = 0
    for slot in 0..<count { map |= 1 &<< (keys[slot].first &- low) }
    return map
  }

  /// Updates the separator and the total of an edited child (S2, S3).
  func refreshSlot(_ slot: Int, from child: NodeView) {
    keys[slot] = child.separator
    counts[slot] = child.total
  }

  /// Updates a separator after an insertion below its child, which was not split.
  @inline(__always)
  func noteInsertion(of first: UInt64, _ slot: Int, _ child: NodeView) {
    let low = keys[slot].first
    guard height == 1, layout.order == .first, low == child.keys[0].first else {
      keys[slot] = child.separator
      return
    }
    if first &- low < 64 { keys[slot].second |= 1 &<< (first &- low) }
  }

  /// The same after a removal below its child, which is not empty.
  @inline(__always)
  func noteRemoval(of first: UInt64, _ slot: Int, _ child: NodeView) {
    let low = keys[slot].first
    guard height == 1, layout.order == .first, low == child.keys[0].first else {
      keys[slot] = child.separator
      return
    }
    if first &- low < 64 { keys[slot].second &= ~(1 &<< (first &- low)) }
  }
}
