/// What stands before the slots of a `HashNode`.
struct HashHeader {
  /// Inner: one byte for each child: 0 where there is none, a leaf's number of entries, 255 for an inner
  /// node.
  var kinds: UInt64
  /// Leaf: entries it has room for. Inner: 0.
  let capacity: Int
}

/// A node of a `HashIndex`: one object, its slots allocated behind it.
///
/// ```
/// inner   header | child 0 … child 7                    by three bits of the hash
/// leaf    header | (hash, row) 0 … capacity - 1         ascending
/// ```
/// What a child is and how many entries it has stands in its parent, so that a lookup reads nothing of a
/// leaf but entries. Those beyond the count are `unused`.
/// (The base class rules out `Sendable`; `HashIndex` gives the proof.)
final class HashNode: ManagedBuffer<HashHeader, UInt64> {
  static let fanOutBits: UInt64 = 3
  static let fanOut = 8
  static let innerKind = 255
  /// More entries than this are divided between eight leaves.
  static let leafLimit = 48
  /// Few enough for the leaves below one node to become one leaf again.
  static let mergeLimit = 16
  /// Entries that a leaf has room for at least, and that a lookup compares together.
  static let window = 8
  /// Less than no hash, so that comparing the slots beyond the count does no harm.
  static let unused = TreeKey(.max, 0)

  static func makeInner() -> HashNode {
    // `create` called on `HashNode` allocates a `HashNode`, here and below.
    let node = unsafeDowncast(
      HashNode.create(minimumCapacity: fanOut) { _ in HashHeader(kinds: 0, capacity: 0) }, to: HashNode.self)
    HashNodeView(node).children.initialize(repeating: nil, count: fanOut)
    return node
  }

  /// A leaf with room for `count` entries and at most seven more.
  static func makeLeaf(room count: Int) -> HashNode {
    let capacity = max(window, (count + 3) & ~3)
    let node = unsafeDowncast(
      HashNode.create(minimumCapacity: capacity * 2) { _ in HashHeader(kinds: 0, capacity: capacity) },
      to: HashNode.self)
    HashNodeView(node).entries.initialize(repeating: unused, count: capacity)
    return node
  }

  deinit {
    let view = HashNodeView(self)
    if view.capacity == 0 { view.children.deinitialize(count: HashNode.fanOut) }
  }

  /// Size of the object.
  var byteCount: Int {
    let view = HashNodeView(self)
    return 16 + MemoryLayout<HashHeader>.size
      + (view.capacity == 0 ? HashNode.fanOut * 8 : view.capacity * MemoryLayout<TreeKey>.stride)
  }
}

/// A node without a reference to it, as `NodeView`: something else keeps the node alive.
///
/// All pointers into a node come from here. They stay valid while the node lives, because the slots are
/// part of the object's own allocation and never move.
struct HashNodeView {
  private let reference: Unmanaged<HashNode>

  init(_ node: HashNode) { reference = .passUnretained(node) }
  private init(_ reference: Unmanaged<HashNode>) { self.reference = reference }

  // The pointers leave their closures: allowed as argued above.
  private var header: UnsafeMutablePointer<HashHeader> {
    reference._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  private var slots: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  var capacity: Int { header.pointee.capacity }

  /// Of a leaf: keys are two words, and words are what the slots were allocated as.
  var entries: UnsafeMutablePointer<TreeKey> { slots.assumingMemoryBound(to: TreeKey.self) }

  /// Strong references to the children of an inner node, each one word.
  var children: UnsafeMutablePointer<HashNode?> { slots.assumingMemoryBound(to: HashNode?.self) }

  /// Child `index`, which must exist, read as bits so that no reference is counted.
  func child(_ index: Int) -> HashNodeView {
    let bits = slots.load(fromByteOffset: index &* 8, as: UnsafeRawPointer.self)
    return HashNodeView(Unmanaged.fromOpaque(bits))
  }

  func kind(_ index: Int) -> Int {
    // A byte of the header's first word.
    Int(UnsafeRawPointer(header).load(fromByteOffset: index, as: UInt8.self))
  }

  /// Replaces a child and what is known of it.
  func setChild(_ index: Int, _ child: HashNode?, kind: Int) {
    children[index] = child
    setKind(index, kind)
  }

  func setKind(_ index: Int, _ kind: Int) {
    // As above.
    UnsafeMutableRawPointer(header).storeBytes(of: UInt8(kind), toByteOffset: index, as: UInt8.self)
  }

  /// Of an inner node: a copy with a life of its own; children are shared.
  func copyInner() -> HashNode {
    let node = HashNode.makeInner()
    let view = HashNodeView(node)
    view.children.update(from: children, count: HashNode.fanOut)
    view.header.pointee.kinds = header.pointee.kinds
    return node
  }

  /// Of a leaf of `count` entries: a copy with room for `room`.
  func copyLeaf(_ count: Int, room: Int) -> HashNode {
    let node = HashNode.makeLeaf(room: room)
    HashNodeView(node).entries.update(from: entries, count: count)
    return node
  }

  /// Of a leaf of `count` entries: the first with this hash or a greater one.
  func slot(of hash: UInt64, _ count: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].first < hash { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
