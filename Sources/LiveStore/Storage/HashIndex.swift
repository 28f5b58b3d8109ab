/// From hashes to row numbers: how a table finds an id.
///
/// A trie over the bits of the hash, up to six at each level, with leaves of up to 32 entries. A hash is there
/// once; ids with equal hashes are the table's to keep elsewhere. A value as `Tree` is: copies are O(1) and
/// share nodes, and an edit changes in place what this index alone refers to and copies the rest of a path.
///
/// Within an inner node it is extendible hashing: a leaf is named by a run of slots, a full leaf is divided
/// between the halves of its run, a node whose leaf has a run of one slot gets twice the slots, and only in a
/// node of 64 such a leaf becomes an inner node. So the slots are about as many as the leaves, leaves are half
/// full at least when hashes are even, and the inner nodes of a million ids are small beside the caches.
///
/// Why not a `Tree`: a million ids are larger than the caches, and a lookup costs what it waits for memory
/// and how much it lets the processor do meanwhile. Bits of the hash name the child without comparing keys,
/// and within a leaf they tell about where the entry is (hashes being even, on average two slots away), so that
/// a lookup is some seventy instructions with hardly a branch that is not foreseen, and the lines it reads
/// of a leaf do not wait for each other. There is no order to keep, so nothing needs balance.
///
/// - **H1** A leaf's hashes ascend strictly and share the bits that lead to it; slots beyond its count
///   are `unused`.
/// - **H2** A leaf is named by an aligned run of slots, a power of two, all equal: nil and 0, or the leaf and its
///   count. The first slot of a run owns the reference. An inner child has a single slot, in a node of 64.
/// - **H3** The leaves of two halves of a run have more than `mergeLimit` entries together, and an inner node
///   other than the root has more than one leaf.
/// - **H4** A node is written to only while a single reference to it exists, as for trees (S5). So what
///   two indexes share is immutable, which is the proof of sendability.
package struct HashIndex: @unchecked Sendable {
  /// An inner node.
  var root = HashNode.makeInner(bits: 1)
  /// Number of entries.
  package internal(set) var count = 0

  package init() {}

  /// The row of a hash; 0 if there is none.
  ///
  /// - Complexity: O(log `count`), in practice one or two reads from memory.
  @inline(__always)
  package func row(of hash: UInt64) -> UInt64 {
    var node = HashNodeView(root)
    var bits = UInt64(truncatingIfNeeded: node.bits)
    var rest = hash
    while true {
      let slot = node.slots[Int(truncatingIfNeeded: rest &>> (64 &- bits))]
      guard let child = slot.child else { return 0 }
      node = HashNodeView(child)
      if slot.isInner {
        rest = rest &<< bits
        bits = UInt64(truncatingIfNeeded: slot.bits)
        continue
      }
      return node.row(of: hash, rest: rest &<< UInt64(truncatingIfNeeded: slot.bits), Int(slot.count))
    }
  }
}

extension HashNodeView {
  /// The row of a hash in a leaf of `count` entries; `rest` are the bits after those that lead to the leaf.
  @inline(__always)
  fileprivate func row(of hash: UInt64, rest: UInt64, _ count: Int) -> UInt64 {
    // Where it would be if hashes were perfectly even, in the middle of a window.
    let guess = Int(truncatingIfNeeded: rest.multipliedFullWidth(by: UInt64(truncatingIfNeeded: count)).high)
    let start = max(min(guess &- HashNode.window / 2, count &- HashNode.window), 0)
    let entries = entries + start
    let slot = lowerBound(ofEight: entries, hash)
    if start &+ slot < count, entries[slot].first == hash { return entries[slot].second }
    return search(hash, count)
  }

  @inline(never)
  private func search(_ hash: UInt64, _ count: Int) -> UInt64 {
    let slot = slot(of: hash, count)
    return slot < count && entries[slot].first == hash ? entries[slot].second : 0
  }
}
