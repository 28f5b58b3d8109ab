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

/// A node without a reference to it, for code that runs while something else keeps the node alive.
///
/// All pointers into a node come from here. They stay valid while the node lives, because the slots are
/// part of the object's own allocation and never move.
package struct NodeView: Equatable {
  private let reference: Unmanaged<Node>

  init(_ node: Node) { reference = .passUnretained(node) }
  private init(_ reference: Unmanaged<Node>) { self.reference = reference }

  package static func == (left: NodeView, right: NodeView) -> Bool {
    left.reference.toOpaque() == right.reference.toOpaque()
  }

  /// A new strong reference.
  var node: Node { reference.takeUnretainedValue() }

  // Each pointer below leaves its closure: allowed as argued above.
  var header: UnsafeMutablePointer<NodeHeader> {
    reference._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  var keys: UnsafeMutablePointer<TreeKey> {
    // Keys are two words and words are what the slots were allocated as.
    slots.assumingMemoryBound(to: TreeKey.self)
  }

  /// Totals of the children (inner nodes).
  var counts: UnsafeMutablePointer<Int> {
    (slots + capacity * MemoryLayout<TreeKey>.stride).assumingMemoryBound(to: Int.self)
  }

  /// Strong references to the children (inner nodes).
  var children: UnsafeMutablePointer<Node> {
    (slots + capacity * (MemoryLayout<TreeKey>.stride + MemoryLayout<Int>.stride))
      .assumingMemoryBound(to: Node.self)
  }

  /// Start of the payload region (leaves).
  var payloads: UnsafeMutableRawPointer { slots + Int(header.pointee.payloadOffset) }

  private var slots: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  var height: Int { Int(header.pointee.height) }
  var capacity: Int { Int(header.pointee.capacity) }
  var layout: TreeLayout { header.pointee.layout }
  var stride: Int { layout.stride }
  /// For an inner node of a standard layout: how many bits of a number are below those that select its child. For a
  /// leaf and in other layouts it is 0 or more than 23.
  var digitBits: Int32 { header.pointee.payloadOffset }
  var isFull: Bool { header.pointee.count == header.pointee.capacity }

  var count: Int {
    get { Int(header.pointee.count) }
    nonmutating set { header.pointee.count = Int32(newValue) }
  }

  var total: Int {
    get { header.pointee.total }
    nonmutating set { header.pointee.total = newValue }
  }

  /// Child `index`, read as bits so that no reference is counted.
  func child(_ index: Int) -> NodeView {
    let bits = UnsafeRawPointer(children + index).load(as: UnsafeRawPointer.self)
    return NodeView(Unmanaged.fromOpaque(bits))
  }

  /// Reads a word of every child before references to them are counted. Counting waits for memory once for each child
  /// that is not in the caches; these reads run side by side.
  ///
  /// A commit of one row among a million takes a quarter less time for it.
  func touchChildren() {
    var words: UInt = 0
    // An object's first word is its type and is never written again.
    for index in 0..<count { words |= child(index).reference.toOpaque().load(as: UInt.self) }
    precondition(words & 1 == 0, "an object begins with the address of its type")
  }

  /// The child in the slot at this distance from the first key, read as bits; nil when the slot is not in use.
  @inline(__always)
  func child(atOffset offset: Int) -> NodeView? {
    slots.load(fromByteOffset: offset, as: UnsafeRawPointer?.self).map {
      NodeView(Unmanaged.fromOpaque($0))
    }
  }

  /// For an inner node: makes slots unused again after their contents have been moved or destroyed.
  func clearSlots(_ range: Range<Int>) {
    UnsafeMutableRawPointer(keys + range.lowerBound)
      .initializeMemory(as: UInt64.self, repeating: 0, count: range.count * 2)
    UnsafeMutableRawPointer(children + range.lowerBound)
      .initializeMemory(as: UInt.self, repeating: 0, count: range.count)
  }

  func payload(_ index: Int) -> UnsafeMutableRawPointer { payloads + index * stride }
}
