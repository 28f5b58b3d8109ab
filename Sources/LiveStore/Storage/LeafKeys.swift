/// The keys of entries side by side in a leaf, valid while the leaf lives.
package struct LeafKeys {
  /// The key of each entry; in a run (S7) only the leaf's first key. Keys are read only on request.
  private let keys: UnsafePointer<TreeKey>
  /// The slot of the first entry in a run; negative elsewhere.
  private let start: Int

  /// The keys of a leaf's entries from a slot on.
  @inline(__always)
  init(_ leaf: NodeView, from slot: Int) {
    let isRun = leaf.form == .run
    keys = UnsafePointer(leaf.keys + (isRun ? 0 : slot))
    start = isRun ? slot : -1
  }

  /// The key of one entry.
  @inline(__always)
  init(one key: UnsafePointer<TreeKey>) {
    keys = key
    start = -1
  }

  @inline(__always)
  package subscript(index: Int) -> TreeKey {
    if start < 0 { return keys[index] }
    return TreeKey(keys.pointee.first &+ UInt64(truncatingIfNeeded: start &+ index), keys.pointee.second)
  }
}
