/// From hashes to row numbers: how a table finds an id.
///
/// A trie over the bits of the hash, three at each level, with leaves of up to 48 entries. A hash is there
/// once; ids with equal hashes are the table's to keep elsewhere. A value as `Tree` is: copies are O(1) and
/// share nodes, and an edit changes in place what this index alone refers to and copies the rest of a path.
///
/// Why not a `Tree`: a million ids are larger than the caches, and a lookup costs what it waits for memory
/// and how much it lets the processor do meanwhile. Bits of the hash name the child without comparing keys,
/// and within a leaf they tell about where the entry is (hashes being even, on average two slots away), so that
/// a lookup is some seventy instructions with hardly a branch that is not foreseen, and the lines it reads
/// of a leaf do not wait for each other. There is no order to keep, so nothing needs balance: a full leaf
/// is divided, a node with few entries becomes a leaf again.
///
/// - **H1** A leaf's hashes ascend strictly and share the bits that lead to it; slots beyond its count
///   are `unused`.
/// - **H2** The parent's kind of a child is 0 and the child nil, or a leaf's count, or 255 for an inner node.
/// - **H3** An inner node other than the root has more than `mergeLimit` entries below it, or a child that is
///   an inner node.
/// - **H4** A node is written to only while a single reference to it exists, as for trees (S5). So what
///   two indexes share is immutable, which is the proof of sendability.
package struct HashIndex: @unchecked Sendable {
  /// An inner node.
  var root = HashNode.makeInner()
  /// Number of entries.
  package internal(set) var count = 0

  package init() {}

  /// The row of a hash; 0 if there is none.
  ///
  /// - Complexity: O(log `count`), in practice one or two reads from memory.
  @inline(__always)
  package func row(of hash: UInt64) -> UInt64 {
    var node = HashNodeView(root)
    var rest = hash
    while true {
      let index = Int(truncatingIfNeeded: rest &>> (64 - HashNode.fanOutBits))
      rest = rest &<< HashNode.fanOutBits
      let kind = node.kind(index)
      if kind == HashNode.innerKind {
        node = node.child(index)
        continue
      }
      if kind == 0 { return 0 }
      return node.child(index).row(of: hash, rest: rest, kind)
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
