/// What stands before the slots of a `HashNode`.
struct HashHeader {
  /// Leaf: entries it has room for. Inner: 0.
  let capacity: Int32
  /// Inner: how many bits of the hash name a slot.
  let bits: Int32
  /// Leaf: entries.
  var count: Int
}

/// A child of an inner node in one word, with all that a lookup has to know of it.
///
/// Nodes are aligned to 16 bytes, which leaves the last four bits of their address for what they are.
struct HashSlot: Equatable {
  private let word: UInt

  /// No child.
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
/// What a child is and how large stands in its parent, so that a lookup reads nothing of a leaf but entries.
/// (The base class rules out `Sendable`; `HashIndex` gives the proof.)
final class HashNode: ManagedBuffer<HashHeader, UInt64> {
  /// No inner node has more than 64 slots: a copy of it retains every child.
  static let maxBits = 6
  /// Leaves have room for 1 to 9 times as many entries, which a slot can tell from inner nodes of 1 to `maxBits`.
  static let step = 12
  static let maxCapacity = 9 * step
  /// Few enough for two halves to become one leaf again.
  static let mergeLimit = maxCapacity / 3

  /// How many entries a leaf may have: with a quarter of it free, one that is there is found after two or three steps,
  /// and one that is not is missed after less than ten, on average.
  static func limit(_ capacity: Int) -> Int { capacity / 4 * 3 }

  /// The least capacity for so many entries.
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

  /// A leaf without entries, with room for `count` at least.
  static func makeLeaf(room count: Int) -> HashNode { makeLeaf(capacity: capacity(for: count)) }

  static func makeLeaf(capacity: Int) -> HashNode {
    precondition(capacity <= maxCapacity, "a slot can tell of no larger leaf")
    let node = make(capacity: capacity, bits: 0)
    HashNodeView(node).words.initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * HashEntry.stride)
    return node
  }

  /// A node whose slots or entries are not initialised.
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

  /// Size of the object.
  var byteCount: Int {
    let view = HashNodeView(self)
    return 16 + MemoryLayout<HashHeader>.size
      + (view.capacity == 0
        ? MemoryLayout<HashSlot>.stride << view.bits : view.capacity * HashEntry.stride)
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

  var words: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  var capacity: Int { Int(header.pointee.capacity) }
  var bits: Int { Int(header.pointee.bits) }
  var count: Int {
    get { header.pointee.count }
    nonmutating set { header.pointee.count = newValue }
  }

  /// Of an inner node, as which its words were initialised.
  var slots: UnsafeMutablePointer<HashSlot> { words.assumingMemoryBound(to: HashSlot.self) }
}

/// Inner nodes.
extension HashNodeView {
  /// Child `index`, which must exist.
  func child(_ index: Int) -> HashNodeView {
    guard let child = slots[index].child else { preconditionFailure("slot \(index) is empty") }
    return HashNodeView(child)
  }

  /// The slots that name the same child as slot `index`, or as many around it as are empty: an aligned power of two.
  func run(_ index: Int) -> Range<Int> {
    var run = index..<(index + 1)
    while run.count < 1 << bits {
      let other = half(beside: run)
      guard other.allSatisfy({ slots[$0] == slots[index] }) else { break }
      run = min(run.lowerBound, other.lowerBound)..<max(run.upperBound, other.upperBound)
    }
    return run
  }

  /// The other half of the run of twice the slots.
  func half(beside run: Range<Int>) -> Range<Int> {
    let start = run.lowerBound ^ run.count
    return start..<(start + run.count)
  }

  /// Each child once.
  func forEachChild(_ body: (Unmanaged<HashNode>) -> Void) {
    var last = HashSlot.empty
    for index in 0..<(1 << bits) where slots[index] != last {
      last = slots[index]
      if let child = last.child { body(child) }
    }
  }

  /// Whether nothing else refers to the child in a slot.
  func isUniqueChild(_ index: Int) -> Bool {
    var child = slots[index].child?.toOpaque()
    // The same word as the reference that this node counts, and no other is counted here.
    return withUnsafeMutablePointer(to: &child) {
      $0.withMemoryRebound(to: HashNode?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }

  /// Reads something of every child before references to them are counted, as `NodeView.touchChildren`.
  func touchChildren() {
    var words: UInt = 0
    forEachChild { words |= $0.toOpaque().load(as: UInt.self) }
    precondition(words & 1 == 0, "an object begins with the address of its type")
  }

  /// Puts another child into a run and releases the one there.
  func replace(_ run: Range<Int>, by node: HashNode?) {
    let old = slots[run.lowerBound].child
    (slots + run.lowerBound).update(
      repeating: node.map { HashSlot(.passRetained($0)) } ?? .empty, count: run.count)
    old?.release()
  }

  /// Of an inner node: a copy with a life of its own, with twice the slots if asked for; children are shared.
  func copyInner(doubled: Bool = false) -> HashNode {
    let node = HashNode.makeInner(bits: doubled ? bits + 1 : bits)
    let target = HashNodeView(node).slots
    if doubled {
      for index in 0..<(1 << bits) { (target + index * 2).update(repeating: slots[index], count: 2) }
    } else {
      target.update(from: slots, count: 1 << bits)
    }
    touchChildren()
    forEachChild { _ = $0.retain() }
    return node
  }
}
