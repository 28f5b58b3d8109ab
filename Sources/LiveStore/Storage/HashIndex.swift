/// From hashes to row numbers: how a table finds an id.
///
/// A trie over the bits of the hash, up to six at each level; its leaves are hash tables of up to 81 entries. A
/// hash is there once; ids with equal hashes are the table's to keep elsewhere. A value as `Tree` is: copies are
/// O(1) and share nodes, and an edit changes in place what this index alone refers to and copies the rest of a
/// path.
///
/// Within an inner node it is extendible hashing: a leaf is named by a run of slots, a full leaf is divided
/// between the halves of its run, a node whose leaf has a run of one slot gets twice the slots, and only in a
/// node of 64 such a leaf becomes an inner node. So the slots are about as many as the leaves; they are one word
/// each, so that those of millions of ids stay in the caches.
///
/// Why not a `Tree`: a million ids are larger than the caches, and a lookup costs what it waits for memory
/// and how much it lets the processor do meanwhile. Bits of the hash name the child without comparing keys, and
/// other bits of it the place in the leaf, so that a lookup is some fifty instructions and waits for memory once.
/// There is no order to keep, so nothing needs balance.
///
/// - **H1** A leaf's hashes share the bits that lead to it. The places from the one that a hash names
///   (`HashNodeView.place`) to that where it is are taken. At least a quarter of a leaf is free, and its free places are 0.
/// - **H2** A leaf is named by an aligned run of slots, a power of two, all equal; slots without a leaf are
///   `empty`. A run counts as one reference. An inner child has a single slot, in a node of 64.
/// - **H3** The leaves of two halves of a run have more than `mergeLimit` entries together, and an inner node
///   other than the root has slots that are not equal.
/// - **H4** A node is written to only while a single reference to it exists, as for trees (S5). So what
///   two indexes share is immutable, which is the proof of sendability.
package struct HashIndex: @unchecked Sendable {
  /// An inner node.
  var root = HashNode.makeInner(bits: 1)
  /// Number of entries.
  package internal(set) var count = 0

  package init() {}

  /// The row of a hash, of which the lower 16 bits do not matter; 0 if there is none.
  ///
  /// - Complexity: O(log `count`), in practice one read from memory.
  @inline(__always)
  package func row(of hash: UInt64) -> UInt64 {
    let root = HashNodeView(root)
    let bits = UInt64(truncatingIfNeeded: root.bits)
    var slot = root.slots[Int(truncatingIfNeeded: hash &>> (0 &- bits))]
    var rest = hash &<< bits
    while true {
      guard let child = slot.child else { return 0 }
      let node = HashNodeView(child)
      let kind = slot.kind
      if kind > HashNode.maxBits {
        return node.row(of: hash, (kind &- HashNode.maxBits) &* HashNode.step)
      }
      let bits = UInt64(truncatingIfNeeded: kind)
      slot = node.slots[Int(truncatingIfNeeded: rest &>> (0 &- bits))]
      rest = rest &<< bits
    }
  }
}
