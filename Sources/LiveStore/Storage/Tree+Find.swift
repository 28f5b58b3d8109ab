/// Finding a row by its number.
extension Tree {
  /// The payload of the entry whose `first` is this, in a tree ordered by `first`.
  ///
  /// Goes down by guessing: firsts are mostly consecutive, and nodes full, as rows are only appended. So the
  /// children are six bits each of the distance from the first number there ever was. No guess is checked on
  /// the way: unused slots are empty, and a leaf whose map has the number is right however it was reached, and
  /// tells where in it the entry is. Any other result means to search properly.
  /// - Complexity: O(log `count`).
  @inline(__always)
  package func payload(first: UInt64) -> UnsafeRawPointer? {
    guard let root, layout.isStandard else { return searched(first) }
    var node = NodeView(root)
    let distance = first &- origin
    let height = node.height
    guard height &- 1 < 4, height > 0, node.keys[0].first &- origin < 32 else { return searched(first) }
    if height > 3 {
      guard let child = node.standardChild((distance &>> 23) & 63) else { return searched(first) }
      node = child
    }
    if height > 2 {
      guard let child = node.standardChild((distance &>> 17) & 63) else { return searched(first) }
      node = child
    }
    if height > 1 {
      guard let child = node.standardChild((distance &>> 11) & 63) else { return searched(first) }
      node = child
    }
    let slot = (distance &>> 5) & 63
    let separator = node.keys[Int(truncatingIfNeeded: slot)]
    let place = first &- separator.first
    let map = separator.second &>> place
    guard place < 64, map & 1 != 0, let leaf = node.standardChild(slot) else { return searched(first) }
    let index = (separator.second ^ (map &<< place)).nonzeroBitCount
    return UnsafeRawPointer(leaf.keys) + 32 * MemoryLayout<TreeKey>.stride + index &* layout.stride
  }

  @inline(never)
  private func searched(_ first: UInt64) -> UnsafeRawPointer? {
    guard let found = floor(first), found.key.first == first else { return nil }
    return found.payload
  }
}

extension NodeView {
  /// Child `index`, below 64, of an inner node with room for 64; nil when there is none.
  @inline(__always)
  fileprivate func standardChild(_ index: UInt64) -> NodeView? {
    let offset = 64 * (MemoryLayout<TreeKey>.stride + MemoryLayout<Int>.stride)
    return child(atOffset: offset &+ Int(truncatingIfNeeded: index) &* MemoryLayout<Node>.stride)
  }
}

/// How many of eight keys in ascending order have `first` below `bound`.
///
/// Branchless, and the keys are independent reads: written out, since of a loop the compiler makes one that
/// leaves early, and its end is rarely foreseen.
@inline(__always)
func lowerBound(ofEight keys: UnsafeMutablePointer<TreeKey>, _ bound: UInt64) -> Int {
  @inline(__always) func isBelow(_ slot: Int) -> Int { keys[slot].first < bound ? 1 : 0 }
  let low = (isBelow(0) &+ isBelow(1)) &+ (isBelow(2) &+ isBelow(3))
  let high = (isBelow(4) &+ isBelow(5)) &+ (isBelow(6) &+ isBelow(7))
  return low &+ high
}
