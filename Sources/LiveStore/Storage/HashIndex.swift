/// Maps hashes to row numbers, for looking up ids.
///
/// A trie over the bits of the hash, up to six at each level; its leaves are hash tables of up to 81 entries. Each
/// hash is stored once; the table stores further ids of an equal hash elsewhere. A value like `Tree`: copies are O(1)
/// and share nodes, and an edit changes nodes in place where only this index refers to them and copies the rest of a
/// path.
///
/// Within an inner node it is extendible hashing: a leaf is named by a run of slots, and a full leaf is divided
/// between the halves of its run. A node whose leaf has a run of one slot gets twice the slots, and only in a node of
/// 64 slots such a leaf becomes an inner node. So there are about as many slots as leaves; each is one word, so that
/// those of millions of ids stay in the caches.
///
/// Why not a `Tree`: a million ids are larger than the caches, so a lookup costs its waits for memory and the work
/// that the processor cannot overlap with them. Some bits of the hash select the child without comparing keys, and
/// others the bucket in the leaf, so a lookup is some fifty instructions and waits for memory once. There is no order
/// to maintain, so nothing is balanced.
///
/// - **H1** A leaf's hashes share the bits that lead to it. All buckets from the one that a hash selects
///   (`HashNodeView.bucket`) to the one that holds it are occupied. At least a quarter of a leaf is free, and its free
///   buckets are 0.
/// - **H2** A leaf is named by an aligned run of slots, a power of two, all equal; slots without a leaf are `empty`.
///   A run counts as one reference. An inner child has a single slot, in a node of 64.
/// - **H3** The leaves of two halves of a run have more than `mergeLimit` entries together, and an inner node other
///   than the root has slots that are not equal.
/// - **H4** A node is written to only while a single reference to it exists, as for trees (S5). So everything that
///   two indexes share is immutable, which is the proof of sendability.
package struct HashIndex: @unchecked Sendable {
  /// An inner node.
  package var root = HashNode.makeInner(bits: 1)
  /// The number of entries.
  package internal(set) var count = 0

  package init() {}

  /// The row of a hash, whose lower 16 bits are ignored; 0 if there is none.
  ///
  /// - Complexity: O(log `count`), in practice one read from memory.
  @inline(__always)
  package func row(of hash: UInt64) -> UInt64 {
    inLeaf(of: hash) { leaf, capacity in leaf.row(of: hash, capacity) }
  }

  /// What a closure finds in the leaf that a hash leads to, of the given capacity; 0 if there is none.
  @inline(__always)
  func inLeaf(of hash: UInt64, _ find: (HashNodeView, Int) -> UInt64) -> UInt64 {
    let root = HashNodeView(root)
    let bits = UInt64(truncatingIfNeeded: root.bits)
    var slot = root.slots[Int(truncatingIfNeeded: hash &>> (0 &- bits))]
    var rest = hash &<< bits
    while true {
      guard let child = slot.child else { return 0 }
      let node = HashNodeView(child)
      let kind = slot.kind
      if kind > HashNode.maxBits {
        return find(node, (kind &- HashNode.maxBits) &* HashNode.step)
      }
      let bits = UInt64(truncatingIfNeeded: kind)
      slot = node.slots[Int(truncatingIfNeeded: rest &>> (0 &- bits))]
      rest = rest &<< bits
    }
  }
}
