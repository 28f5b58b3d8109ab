/// Finding a row by its number.
extension Tree {
  /// The payload of the entry whose `first` is this, in a tree ordered by `first`.
  ///
  /// Goes down by guessing: firsts are mostly consecutive, and nodes full, as rows are only appended. So a
  /// node at some height starts where a run of so many numbers does, counted from the first there ever was,
  /// and the child is a digit of the distance, less that of the first run that is left. No guess is checked
  /// on the way but for its slot being there: a leaf whose map has the number is right however
  /// it was reached, and tells where in it the entry is. Any other result means to search properly.
  /// - Complexity: O(log `count`).
  @inline(__always)
  package func payload(first: UInt64) -> UnsafeRawPointer? {
    guard let root else { return nil }
    var node = NodeView(root)
    var height = node.height
    guard height > 0 else { return searched(first) }
    let (innerBits, innerCapacity) = (layout.innerBits, layout.innerCapacity)
    let digit = (1 as UInt64) &<< UInt64(truncatingIfNeeded: innerBits)
    var bits = UInt64(truncatingIfNeeded: layout.leafBits &+ innerBits &* (height &- 1))
    let distance = first &- origin
    let start = node.keys[0].first &- origin
    var guess = (distance &>> bits) &- (start &>> bits)
    while true {
      guard guess < UInt64(truncatingIfNeeded: node.count) else { return searched(first) }
      if height == 1 { break }
      node = node.child(Int(truncatingIfNeeded: guess), innerCapacity)
      height &-= 1
      bits = bits &- UInt64(truncatingIfNeeded: innerBits)
      let run = distance &>> bits
      guess = run &- max(run & (0 &- digit), start &>> bits)
    }
    let slot = Int(truncatingIfNeeded: guess)
    let separator = node.keys[slot]
    let place = first &- separator.first
    let bit = (1 as UInt64) &<< place
    guard place < 64, separator.second & bit != 0 else { return searched(first) }
    let leaf = node.child(slot, innerCapacity)
    let index = (separator.second & (bit &- 1)).nonzeroBitCount
    return UnsafeRawPointer(leaf.payload(index, layout))
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
