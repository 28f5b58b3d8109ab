// From an id to its object.
//
// `snapshot[Post.self, id]` is two searches: hash to row number, row number to object. Beyond the caches
// each waits for memory once, and the second cannot start before the first has ended. A dictionary waits
// once. So speed depends on how much of the next lookup the processor overlaps: a lookup has to be short,
// and must read from the caches what it can. It cannot afford counting references or calling closures.
// [Performance](Documentation/Performance.md#lookup-by-id) has the figures.
//
// - **The public path.** Type-dependent code (hash, comparison of ids, copy of the object) is inlined into
//   the caller. The search in between is one call with the type and the id or its hash, and counts no
//   reference. Integer ids and UUIDs are hashed by two or three multiplications, with seeds from the
//   catalog. The state is kept alive until the object has been copied.
// - **`HashIndex`.** A trie with up to six bits of the hash at each level. Its leaves are hash tables of up
//   to 81 entries with linear probing. Within an inner node it is extendible hashing: a leaf is named by a
//   run of slots, and a full leaf is divided between the halves of its run. A node without room for that
//   gets twice the slots, up to 64, and only then a leaf becomes an inner node. A slot is one word. It has
//   the child's address and, in the last four bits, which alignment leaves free, the bits of an inner node
//   or the capacity of a leaf (12 to 108 in nine steps). So a lookup reads only the entry of a leaf, whose
//   bucket comes from the hash's last 16 bits. An entry is twelve bytes, 48 bits of hash and 48 of row
//   number. A quarter to a third of the buckets are free after loading, so a hit takes two or three steps.
//   The slots of four million ids are 1 MB and stay in the caches; the leaves are some 70 MB and do not.
//   Each hash is stored once: further ids of a hash are in the tree `collided`, ordered by `<`, and one of
//   them replaces an id that is removed. The invariants H1 to H4 are at the type. `_checkInvariants()`
//   checks the first three, tests of held copies the fourth.
// - **`payload(first:)`.** Rows are appended, so nodes are full, and the digits of the row's distance from
//   the first row ever inserted (`Tree.origin`) select the children: four bits for each inner node, above
//   the five of a leaf. Only child pointers are read on the way. The separator above the leaf confirms the
//   guess with its map, and the map's lower bits give the position in the leaf, none of whose keys is read.
//   Deleted rows leave holes in maps and do not change guesses. If the oldest rows are deleted, nodes on
//   the left edge have lost their first slots, which the root's guess takes into account. If a guess fails,
//   the tree is searched by its separators, with two waits per node.

/// Maps hashes to row numbers, for looking up ids.
///
/// A trie over the bits of the hash, up to six at each level; its leaves are hash tables of up to 81 entries. Each
/// hash is stored once; the table stores further ids of an equal hash elsewhere. A value like `Tree`: copies are O(1)
/// and share nodes, and an edit changes nodes in place where only this index refers to them and copies the rest of a
/// path.
///
/// Within an inner node it is extendible hashing: a leaf is named by a run of slots, and a full leaf is
/// divided between the halves of its run. A node whose leaf has a run of one slot gets twice the slots, and
/// only in a node of 64 slots such a leaf becomes an inner node. So there are about as many slots as leaves;
/// each is one word, so that the slots for millions of ids stay in the caches.
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
  package internal(set) var count = 0

  package init() {}

  /// The row of a hash, whose lower 16 bits are ignored; 0 if there is none.
  ///
  /// - Complexity: O(log `count`), in practice one read from memory.
  @inline(__always)
  package func row(of hash: UInt64) -> UInt64 {
    inLeaf(of: hash) { leaf, capacity in leaf.row(of: hash, capacity) }
  }

  /// The result of a closure for the leaf of a hash and the leaf's capacity; 0 if there is no leaf.
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
