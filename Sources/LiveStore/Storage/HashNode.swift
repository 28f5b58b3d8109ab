/// What stands before the slots of a `HashNode`.
struct HashHeader {
  /// Leaf: entries it has room for. Inner: 0.
  let capacity: Int
  /// Inner: how many bits of the hash name a slot.
  let bits: Int
}

/// A child of an inner node, in one place, so that a lookup reads one line of memory at each level.
struct HashSlot {
  /// The child, nil for a leaf without entries. Counted once, by the first slot of a run.
  var child: Unmanaged<HashNode>?
  /// Inner child: its own bits. Leaf: how many of this node's bits its entries share; one bit less than the
  /// node has means that two slots name it, and so on.
  var bits: Int32
  /// Leaf: entries. Inner child: -1.
  var count: Int32

  static var empty: HashSlot { HashSlot(child: nil, bits: 0, count: 0) }
  var isInner: Bool { count < 0 }
}

/// A node of a `HashIndex`: one object, its slots allocated behind it.
///
/// ```
/// inner   header | slot 0 … 2^bits - 1                  by the next bits of the hash
/// leaf    header | (hash, row) 0 … capacity - 1         ascending
/// ```
/// What a child is and how many entries it has stands in its parent, so that a lookup reads nothing of a
/// leaf but entries. Those beyond the count are `unused`.
/// (The base class rules out `Sendable`; `HashIndex` gives the proof.)
final class HashNode: ManagedBuffer<HashHeader, UInt64> {
  /// No inner node has more than 64 slots: a copy of it retains every child.
  static let maxBits = 6
  /// More entries than this are divided between two leaves.
  static let leafLimit = 32
  /// Few enough for two halves to become one leaf again.
  static let mergeLimit = 16
  /// Entries that a leaf has room for at least, and that a lookup compares together.
  static let window = 8
  /// Less than no hash, so that comparing the slots beyond the count does no harm.
  static let unused = TreeKey(.max, 0)

  /// An inner node all of whose slots name one empty leaf.
  static func makeInner(bits: Int) -> HashNode {
    // `create` called on `HashNode` allocates a `HashNode`, here and below.
    let node = unsafeDowncast(
      HashNode.create(minimumCapacity: 2 << bits) { _ in HashHeader(capacity: 0, bits: bits) },
      to: HashNode.self)
    LiveCounts.add(.hashNodes)
    HashNodeView(node).slots.initialize(repeating: .empty, count: 1 << bits)
    return node
  }

  /// A leaf with room for `count` entries and at most seven more.
  static func makeLeaf(room count: Int) -> HashNode {
    let capacity = max(window, (count + 3) & ~3)
    let node = unsafeDowncast(
      HashNode.create(minimumCapacity: capacity * 2) { _ in HashHeader(capacity: capacity, bits: 0) },
      to: HashNode.self)
    LiveCounts.add(.hashNodes)
    HashNodeView(node).entries.initialize(repeating: unused, count: capacity)
    return node
  }

  deinit {
    LiveCounts.remove(.hashNodes)
    let view = HashNodeView(self)
    if view.capacity == 0 { view.forEachRun { start, _ in view.slots[start].child?.release() } }
  }

  /// Size of the object.
  var byteCount: Int {
    let view = HashNodeView(self)
    return 16 + MemoryLayout<HashHeader>.size
      + (view.capacity == 0
        ? MemoryLayout<HashSlot>.stride << view.bits : view.capacity * MemoryLayout<TreeKey>.stride)
  }
}

/// A node without a reference to it, as `NodeView`: something else keeps the node alive.
///
/// All pointers into a node come from here. They stay valid while the node lives, because the slots are
/// part of the object's own allocation and never move.
struct HashNodeView {
  let reference: Unmanaged<HashNode>

  init(_ node: HashNode) { reference = .passUnretained(node) }
  init(_ reference: Unmanaged<HashNode>) { self.reference = reference }

  // The pointers leave their closures: allowed as argued above.
  private var header: UnsafeMutablePointer<HashHeader> {
    reference._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  private var words: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  var capacity: Int { header.pointee.capacity }
  var bits: Int { header.pointee.bits }

  // Keys and slots are two words each, and words are what was allocated.
  /// Of a leaf.
  var entries: UnsafeMutablePointer<TreeKey> { words.assumingMemoryBound(to: TreeKey.self) }
  /// Of an inner node.
  var slots: UnsafeMutablePointer<HashSlot> { words.assumingMemoryBound(to: HashSlot.self) }

  /// Child `index`, which must exist.
  func child(_ index: Int) -> HashNodeView {
    guard let child = slots[index].child else { preconditionFailure("slot \(index) is empty") }
    return HashNodeView(child)
  }

  /// The slots that name the same child as slot `index`.
  func run(_ index: Int) -> Range<Int> {
    let slot = slots[index]
    let length = slot.isInner ? 1 : 1 << (bits - Int(slot.bits))
    let start = index & ~(length - 1)
    return start..<(start + length)
  }

  func forEachRun(_ body: (_ start: Int, _ length: Int) -> Void) {
    var index = 0
    while index < 1 << bits {
      let run = run(index)
      body(index, run.count)
      index = run.upperBound
    }
  }

  /// Whether nothing else refers to the child of the run that starts here.
  func isUniqueChild(_ start: Int) -> Bool {
    // A slot's first word is the reference, which this run counts.
    isKnownUniquelyReferenced(
      &UnsafeMutableRawPointer(slots + start).assumingMemoryBound(to: HashNode.self).pointee)
  }

  /// Names a leaf, or none, in a run; the run takes over a reference that the caller has counted.
  func setLeaf(_ run: Range<Int>, _ leaf: Unmanaged<HashNode>?, count: Int) {
    let bits = bits - run.count.trailingZeroBitCount
    (slots + run.lowerBound).update(
      repeating: HashSlot(child: leaf, bits: Int32(bits), count: Int32(count)), count: run.count)
  }

  /// Puts another leaf into a run and releases the one there.
  func replaceLeaf(_ run: Range<Int>, by leaf: HashNode?, count: Int) {
    let old = slots[run.lowerBound].child
    setLeaf(run, leaf.map { .passRetained($0) }, count: count)
    old?.release()
  }

  func setInner(_ index: Int, _ node: HashNode) {
    slots[index] = HashSlot(child: .passRetained(node), bits: Int32(HashNodeView(node).bits), count: -1)
  }

  /// Of an inner node: a copy with a life of its own; children are shared.
  func copyInner() -> HashNode {
    let node = HashNode.makeInner(bits: bits)
    HashNodeView(node).slots.update(from: slots, count: 1 << bits)
    forEachRun { start, _ in _ = slots[start].child?.retain() }
    return node
  }

  /// Of an inner node without inner children: the same with one bit more.
  func doubled() -> HashNode {
    let node = HashNode.makeInner(bits: bits + 1)
    let target = HashNodeView(node).slots
    for index in 0..<(1 << bits) { (target + index * 2).update(repeating: slots[index], count: 2) }
    forEachRun { start, _ in _ = slots[start].child?.retain() }
    return node
  }

  /// Of a leaf of `count` entries: a copy with room for `room`.
  func copyLeaf(_ count: Int, room: Int) -> HashNode { copyLeaf(0..<count, room: room) }

  func copyLeaf(_ range: Range<Int>, room: Int) -> HashNode {
    let node = HashNode.makeLeaf(room: room)
    HashNodeView(node).entries.update(from: entries + range.lowerBound, count: range.count)
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
