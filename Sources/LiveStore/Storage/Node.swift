// Nodes.
//
//     leaf of values    header | (padding) | value 0 … value c-1 | key 0 … key c-1
//     leaf of stamps    header | key 0 … key c-1 | stamp 0 … stamp c-1
//     inner             header | key 0 … key c-1 | total of child 0 … c-1 | child 0 … child c-1
// Entries that are loaded together have much in common: rows have consecutive numbers and one stamp, entries
// of a result have one stamp. A leaf of such rows is a **run**, which has the first key alone, and a leaf of
// such entries has its stamp once. The single key or stamp is then the last element of a smaller object (S7).
// Values come before keys so that values are at the same place in both forms: a lookup by id finds its object
// without reading the leaf's header.
//
// A node is one object with its slots allocated behind it, so a level costs one pointer. Reading uses
// `NodeView`, a reference that is not counted; something else keeps the tree alive. An edit first searches
// the path to its leaf without changing anything, so an edit without an effect copies nothing. Then it goes
// down the path. It edits every node in place to which it has the only reference, and a copy of every
// other.
//
// Within a node, `lastSlot(through:)` halves in a number of steps that depends on the count alone, with
// conditional moves.
//
// A leaf has room for 32 entries and an inner node for 16 children. An edit under a held copy counts a
// reference to each child of the inner nodes on its path, and one again when the old version is freed, and
// in a large tree most of these children are not in the caches. So small inner nodes make edits cheap, and
// the digits by which rows are found (`HashIndex`) keep lookups as fast.

/// The header before the slots of a node.
///
/// 32 bytes, so that slots start 48 bytes into the object.
package struct NodeHeader {
  let layout: TreeLayout
  /// Entries in the subtree; in a leaf the same as `count`.
  var total: Int
  /// Slots in use, never 0 between edits.
  var count: Int32
  /// Bytes from the first slot to the keys.
  var keyOffset: Int32 = 0
  /// Leaf: bytes from the first slot to the payloads. Where alignment exceeds 16, both offsets depend on the node's
  /// address.
  var payloadOffset: Int32 = 0
  let capacity: UInt8
  /// 0 for a leaf.
  let height: UInt8
  let digitBits: UInt8
  let form: LeafForm
}

/// A node of a tree: one object, its slots allocated behind it.
///
/// ```
/// leaf of values    header | (padding) | value 0 … value c-1 | key 0 … key c-1
/// leaf of stamps    header | key 0 … key c-1 | stamp 0 … stamp c-1
/// inner             header | key 0 … key c-1 | total of child 0 … c-1 | child 0 … child c-1
///
/// key = two words     c = capacity     slots 0 ..< count are initialised in every region
/// ```
/// The second region of a leaf may have one element for all entries (S7).
///
/// Slot i of an inner node is one child: its exact first key (S3), the entries below it (S2), a strong
/// reference to it. A node is edited only while one reference to it exists, otherwise it is copied (S5).
/// (The base class rules out `Sendable`; `Tree` gives the proof.)
package final class Node: ManagedBuffer<NodeHeader, UInt64> {
  static func make(layout: TreeLayout, height: Int, form: LeafForm = .plain) -> Node {
    let isLeaf = height == 0
    let capacity = isLeaf ? layout.leafCapacity : layout.innerCapacity
    let words = (slotBytes(layout: layout, isLeaf: isLeaf, form: form) + 7) / 8
    let buffer = Node.create(minimumCapacity: words) { _ in
      NodeHeader(
        layout: layout, total: 0, count: 0, capacity: UInt8(capacity), height: UInt8(height),
        digitBits: !isLeaf && layout.isStandard ? UInt8(4 * height + 1) : 0, form: form)
    }
    // `create` called on `Node` allocates a `Node`.
    let node = unsafeDowncast(buffer, to: Node.self)
    LiveCounts.add(.nodes)
    let view = NodeView(node)
    if !isLeaf {
      view.clearSlots(0..<capacity)
    } else if layout.holdsObjects {
      let start = view.slots.alignedUp(toMultipleOf: layout.alignment) - view.slots
      view.header.pointee.payloadOffset = Int32(start)
      view.header.pointee.keyOffset = Int32(start + layout.valueBytes)
    } else {
      view.header.pointee.payloadOffset = Int32(capacity * MemoryLayout<TreeKey>.stride)
    }
    return node
  }

  package static func byteCount(layout: TreeLayout, isLeaf: Bool, form: LeafForm) -> Int {
    16 + MemoryLayout<NodeHeader>.size + slotBytes(layout: layout, isLeaf: isLeaf, form: form)
  }

  private static func slotBytes(layout: TreeLayout, isLeaf: Bool, form: LeafForm) -> Int {
    let key = MemoryLayout<TreeKey>.stride
    guard isLeaf else {
      return layout.innerCapacity * (key + MemoryLayout<Int>.stride + MemoryLayout<Node>.stride)
    }
    let keys = form == .run ? key : layout.leafCapacity * key
    if layout.holdsObjects { return keys + layout.valueBytes + layout.alignment - min(layout.alignment, 16) }
    return keys + (form == .oneStamp ? 1 : layout.leafCapacity) * layout.stride
  }

  deinit {
    LiveCounts.remove(.nodes)
    let view = NodeView(self)
    if view.height > 0 {
      view.touchChildren()
      for slot in 0..<view.count { (view.children + slot).deinitialize(count: 1) }
    } else if view.layout.holdsObjects {
      view.layout.destroyPayloads(view.payloads, view.count)
    }
  }
}
