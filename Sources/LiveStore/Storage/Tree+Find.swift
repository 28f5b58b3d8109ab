/// Looking up a row by its number.
extension Tree {
  /// The payload of the entry with this `first`, in a tree ordered by `first`.
  ///
  /// - Complexity: O(log `count`).
  @inline(__always)
  package func payload(first: UInt64) -> UnsafeRawPointer? { guessed(first) ?? searched(first) }

  /// The same if guesses lead to it; nil means to search by separators.
  ///
  /// Firsts are mostly consecutive, and nodes full, as rows are only appended. So each four bits of the distance from
  /// the first number ever given select a child; in the root, the removed children are subtracted. No guess is checked
  /// on the way: unused slots are empty, and a leaf whose map has the number is the right one however it was reached,
  /// and gives the entry's position in it.
  @inline(__always)
  package func guessed(_ first: UInt64) -> UnsafeRawPointer? {
    guard let root else { return nil }
    var node = NodeView(root)
    var bits = UInt64(truncatingIfNeeded: node.digitBits)
    guard bits &- 1 < 25 else { return nil }
    let distance = first &- origin
    let start = node.separators[0].first &- origin
    var slot = (distance &>> bits) &- (start &>> bits)
    // Below the root's first child, nodes may also have lost their first slots.
    guard slot < 16, start < 32 || slot > 0 else { return nil }
    while bits > 5 {
      guard let child = node.standardChild(slot) else { return nil }
      node = child
      bits &-= 4
      slot = (distance &>> bits) & 15
    }
    let separator = node.separators[Int(truncatingIfNeeded: slot)]
    let offset = first &- separator.first
    let map = separator.second &>> offset
    guard offset < 64, map & 1 != 0, let leaf = node.standardChild(slot) else { return nil }
    let index = (separator.second ^ (map &<< offset)).nonzeroBitCount
    return UnsafeRawPointer(leaf.slots) + index &* layout.stride
  }

  /// The same when guesses fail, as after many removals.
  @inline(never)
  private func searched(_ first: UInt64) -> UnsafeRawPointer? {
    guard let root, NodeView(root).keys[0].first <= first else { return nil }
    let isStandard = layout.isStandard
    var node = NodeView(root)
    var height = node.height
    var slot = 0
    while height > 0 {
      slot = isStandard ? node.standardSlot(through: first) : node.lastSlot(through: first)
      height &-= 1
      if height == 0 { return node.payload(inChild: slot, first, layout) }
      node = node.child(slot)
    }
    slot = node.uniqueSlot(through: first)
    return node.key(slot).first == first ? UnsafeRawPointer(node.payload(slot, stride: layout.stride)) : nil
  }
}

extension NodeView {
  /// Child `index`, below 16, of an inner node with room for 16; nil when there is none.
  @inline(__always)
  fileprivate func standardChild(_ index: UInt64) -> NodeView? {
    let offset = 16 * (MemoryLayout<TreeKey>.stride + MemoryLayout<Int>.stride)
    return child(atOffset: offset &+ Int(truncatingIfNeeded: index) &* MemoryLayout<Node>.stride)
  }

  /// `lastSlot` in an inner node with room for 16: among every fourth key, then among the four from there.
  ///
  /// Waits for memory twice instead of four times; unused slots hold 0, which is mapped to the greatest number.
  @inline(__always)
  fileprivate func standardSlot(through bound: UInt64) -> Int {
    let keys = separators
    @inline(__always) func isThrough(_ slot: Int) -> Int { keys[slot].first &- 1 < bound ? 1 : 0 }
    let start = (isThrough(4) &+ isThrough(8) &+ isThrough(12)) &* 4
    return start &+ (isThrough(start &+ 1) &+ isThrough(start &+ 2) &+ isThrough(start &+ 3))
  }

  /// The payload of the entry in the leaf in a slot, the only leaf that can have the entry.
  @inline(__always)
  fileprivate func payload(inChild slot: Int, _ first: UInt64, _ layout: TreeLayout) -> UnsafeRawPointer? {
    let separator = separators[slot]
    let offset = first &- separator.first
    let leaf = child(slot)
    // Without reading the leaf's header, which would wait for memory.
    let valueOffset = layout.valueOffset(leaf.header)
    @inline(__always) func payload(_ index: Int) -> UnsafeRawPointer {
      UnsafeRawPointer(leaf.slots) + valueOffset + index &* layout.stride
    }
    // The map says which of the next 64 numbers the leaf has.
    if offset < 64 {
      let map = separator.second &>> offset
      if map & 1 == 0 { return nil }
      return payload((separator.second ^ (map &<< offset)).nonzeroBitCount)
    }
    let count = counts[slot]
    if separator.second.nonzeroBitCount == count { return nil }
    // The leaf has numbers that its map lacks, so it is no run, and has all its keys.
    let keyOffset = valueOffset &+ layout.valueBytes
    let keys = leaf.keys(at: keyOffset)
    if count >= 8, slot &+ 1 < self.count {
      // The entries are distributed about evenly over the numbers up to the next leaf.
      let span = separators[slot &+ 1].first &- separator.first
      let guess = Int(truncatingIfNeeded: offset &* UInt64(truncatingIfNeeded: count) / max(span, 1))
      let start = max(0, min(guess &- 3, count &- 8))
      let found = start &+ lowerBound(ofEight: keys + start, first)
      if found < count, keys[found].first == first { return payload(found) }
    }
    let found = leaf.lastSlot(through: first, count: count, keyOffset: keyOffset)
    return keys[found].first == first ? payload(found) : nil
  }
}

/// How many of eight keys in ascending order have `first` below `bound`.
///
/// Branchless, and the keys are independent reads. Written out, since the compiler would turn a loop into one that
/// exits early, and its end is rarely predicted.
@inline(__always)
func lowerBound(ofEight keys: UnsafeMutablePointer<TreeKey>, _ bound: UInt64) -> Int {
  @inline(__always) func isBelow(_ slot: Int) -> Int { keys[slot].first < bound ? 1 : 0 }
  let low = (isBelow(0) &+ isBelow(1)) &+ (isBelow(2) &+ isBelow(3))
  let high = (isBelow(4) &+ isBelow(5)) &+ (isBelow(6) &+ isBelow(7))
  return low &+ high
}
