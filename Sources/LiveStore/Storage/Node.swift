/// The header before the slots of a node.
///
/// 32 bytes, so that slots start 48 bytes into the object.
package struct NodeHeader {
  let layout: TreeLayout
  /// Entries in the subtree; in a leaf the same as `count`.
  var total: Int
  /// Slots in use, never 0 between edits.
  var count: Int32
  let capacity: Int32
  /// 0 for a leaf.
  let height: Int32
  /// Leaf: bytes from the first slot to the payloads; depends on the node's address where alignment exceeds 16.
  /// Inner: `digitBits`.
  var payloadOffset: Int32
}

/// A node of a tree: one object, its slots allocated behind it.
///
/// ```
/// leaf    header | key 0 … key c-1 | (padding) | payload 0 … payload c-1
/// inner   header | key 0 … key c-1 | total of child 0 … c-1 | child 0 … child c-1
///
/// key = two words     c = capacity     slots 0 ..< count are initialised in every region
/// ```
/// Slot i of an inner node is one child: its exact first key (S3), the entries below it (S2), a strong
/// reference to it. A node is edited only while one reference to it exists, otherwise it is copied (S5).
/// (The base class rules out `Sendable`; `Tree` gives the proof.)
package final class Node: ManagedBuffer<NodeHeader, UInt64> {
  static func make(layout: TreeLayout, height: Int) -> Node {
    let isLeaf = height == 0
    let capacity = isLeaf ? layout.leafCapacity : layout.innerCapacity
    let words = (slotBytes(layout: layout, isLeaf: isLeaf) + 7) / 8
    let buffer = Node.create(minimumCapacity: words) { _ in
      NodeHeader(
        layout: layout, total: 0, count: 0, capacity: Int32(capacity), height: Int32(height),
        payloadOffset: !isLeaf && layout.isStandard ? Int32(6 * height - 1) : 0)
    }
    // `create` called on `Node` allocates a `Node`.
    let node = unsafeDowncast(buffer, to: Node.self)
    LiveCounts.add(.nodes)
    let view = NodeView(node)
    let slots = UnsafeMutableRawPointer(view.keys)
    if !isLeaf {
      view.clearSlots(0..<capacity)
    } else {
      let aligned = (slots + capacity * MemoryLayout<TreeKey>.stride).alignedUp(
        toMultipleOf: layout.alignment)
      view.header.pointee.payloadOffset = Int32(aligned - slots)
    }
    return node
  }

  /// Size of the object.
  static func byteCount(layout: TreeLayout, isLeaf: Bool) -> Int {
    16 + MemoryLayout<NodeHeader>.size + slotBytes(layout: layout, isLeaf: isLeaf)
  }

  private static func slotBytes(layout: TreeLayout, isLeaf: Bool) -> Int {
    let payload = MemoryLayout<UInt64>.alignment
    return isLeaf
      ? layout.leafCapacity * (MemoryLayout<TreeKey>.stride + layout.stride) + layout.alignment - payload
      : layout.innerCapacity
        * (MemoryLayout<TreeKey>.stride + MemoryLayout<Int>.stride + MemoryLayout<Node>.stride)
  }

  deinit {
    LiveCounts.remove(.nodes)
    let view = NodeView(self)
    if view.height > 0 {
      view.touchChildren()
      view.children.deinitialize(count: view.count)
    } else if view.stride > 0 {
      view.layout.destroyPayloads(view.payloads, view.count)
    }
  }
}
