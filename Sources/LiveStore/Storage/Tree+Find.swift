/// Finding a row by its number.
extension Tree {
  /// The payload of the entry whose `first` is this, in a tree ordered by `first`.
  ///
  /// Goes down by guessing: firsts are mostly consecutive, and nodes full, as rows are only appended. So the
  /// distance from a node's first key tells the child, and in the leaf the slot. No guess is checked on the
  /// way: a leaf that has the key in the guessed slot is right however it was reached, and any other
  /// result means to search properly. Each guess is below the node's count, so what it reads is there.
  /// - Complexity: O(log `count`).
  package func payload(first: UInt64) -> UnsafeRawPointer? {
    guard let root else { return nil }
    var node = NodeView(root)
    let (innerBits, innerCapacity) = (layout.innerBits, layout.innerCapacity)
    var height = node.height
    var bits = layout.leafBits &+ innerBits &* (height &- 1)
    var low = node.keys[0].first
    // Of a leaf from its parent, since reading the leaf would be waiting for memory.
    var count = node.count
    while height > 0 {
      let guess = (first &- low) &>> UInt64(truncatingIfNeeded: bits)
      guard guess < UInt64(truncatingIfNeeded: node.count) else { return searched(first) }
      let slot = Int(truncatingIfNeeded: guess)
      low = node.keys[slot].first
      count = node.counts(innerCapacity)[slot]
      node = node.child(slot, innerCapacity)
      bits = bits &- innerBits
      height &-= 1
    }
    let distance = first &- low
    guard distance < UInt64(truncatingIfNeeded: layout.leafCapacity) else { return searched(first) }
    var slot = Int(truncatingIfNeeded: distance)
    if count < layout.leafCapacity && count >= 8 {
      // Entries were removed, and those that remain are still spread evenly over as many numbers. (A test
      // of the guess itself would be a branch that is not foreseen.)
      let guess = (slot &* count) &>> layout.leafBits
      let start = max(0, min(guess &- 3, count &- 8))
      slot = min(start &+ lowerBound(ofEight: node.keys + start, first), count &- 1)
    }
    guard slot < count, node.keys[slot].first == first else { return searched(first) }
    return UnsafeRawPointer(node.payload(slot, layout))
  }

  @inline(never)
  private func searched(_ first: UInt64) -> UnsafeRawPointer? {
    guard let found = floor(first), found.key.first == first else { return nil }
    return found.payload
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
