/// The header before the slots of a `HashNode`.
package struct HashHeader {
  /// Leaf: the number of entries it has room for. Inner: 0.
  let capacity: Int32
  /// Inner: how many bits of the hash select a slot.
  let bits: Int32
  /// Leaf: the number of entries.
  var count: Int
}

/// A child of an inner node in one word, with everything that a lookup needs to know of it.
///
/// Nodes are aligned to 16 bytes, which leaves the last four bits of their address for their kind.
struct HashSlot: Equatable {
  private let word: UInt

  static let empty = HashSlot(word: 0)

  private init(word: UInt) { self.word = word }

  init(_ node: Unmanaged<HashNode>) {
    let view = HashNodeView(node)
    let address = UInt(bitPattern: node.toOpaque())
    precondition(address & 15 == 0, "nodes are aligned to 16 bytes")
    word = address | UInt(view.capacity == 0 ? view.bits : HashNode.maxBits + view.capacity / HashNode.step)
  }

  var isEmpty: Bool { word == 0 }
  var child: Unmanaged<HashNode>? {
    UnsafeRawPointer(bitPattern: word & ~15).map { Unmanaged.fromOpaque($0) }
  }
  /// Inner: its bits. Leaf: `maxBits` and its capacity in steps.
  var kind: Int { Int(word & 15) }
  var isInner: Bool { 1...HashNode.maxBits ~= kind }
}

/// A node of a `HashIndex`: one object, its slots allocated behind it.
///
/// ```
/// inner   header | slot 0 … 2^bits - 1              by the next bits of the hash
/// leaf    header | entry 0 … capacity - 1           by the last bits of the hash; zeros where there is none
/// ```
/// The kind and size of a child are in its parent, so a lookup reads only entries of a leaf. (The base class rules
/// out `Sendable`; `HashIndex` gives the proof.)
package final class HashNode: ManagedBuffer<HashHeader, UInt64> {
  /// An inner node has at most 64 slots: copying it retains every child.
  static let maxBits = 6
  /// Leaves have room for 1 to 9 times this many entries; a slot distinguishes them from inner nodes of 1 to
  /// `maxBits`.
  static let step = 12
  static let maxCapacity = 9 * step
  /// Small enough that two halves fit into one leaf.
  static let mergeLimit = maxCapacity / 3

  /// How many entries a leaf may have. With a quarter of it free, a search takes two or three steps for an existing
  /// entry, and less than ten for a missing one, on average.
  static func limit(_ capacity: Int) -> Int { capacity / 4 * 3 }

  /// The least capacity for this many entries.
  static func capacity(for count: Int) -> Int {
    var capacity = step
    while limit(capacity) < count { capacity += step }
    return capacity
  }

  /// An inner node without children.
  static func makeInner(bits: Int) -> HashNode {
    let node = make(capacity: 0, bits: bits)
    HashNodeView(node).words.initializeMemory(as: HashSlot.self, repeating: .empty, count: 1 << bits)
    return node
  }

  /// A leaf without entries, with room for at least `count`.
  static func makeLeaf(room count: Int) -> HashNode { makeLeaf(capacity: capacity(for: count)) }

  static func makeLeaf(capacity: Int) -> HashNode {
    precondition(capacity <= maxCapacity, "a slot cannot describe a larger leaf")
    let node = make(capacity: capacity, bits: 0)
    HashNodeView(node).words.initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * HashEntry.stride)
    return node
  }

  /// A node with uninitialised slots or entries.
  static func make(capacity: Int, bits: Int) -> HashNode {
    let bytes = capacity == 0 ? MemoryLayout<HashSlot>.stride << bits : capacity * HashEntry.stride
    let buffer = HashNode.create(minimumCapacity: (bytes + 7) / 8) { _ in
      HashHeader(capacity: Int32(capacity), bits: Int32(bits), count: 0)
    }
    LiveCounts.add(.hashNodes)
    // `create` called on `HashNode` allocates a `HashNode`.
    return unsafeDowncast(buffer, to: HashNode.self)
  }

  deinit {
    LiveCounts.remove(.hashNodes)
    let view = HashNodeView(self)
    guard view.capacity == 0 else { return }
    view.touchChildren()
    view.forEachChild { $0.release() }
  }

  var byteCount: Int {
    let view = HashNodeView(self)
    return 16 + MemoryLayout<HashHeader>.size
      + (view.capacity == 0
        ? MemoryLayout<HashSlot>.stride << view.bits : view.capacity * HashEntry.stride)
  }
}
