/// A node without a reference to it, for code that runs while something else keeps the node alive.
///
/// All pointers into a node come from here. They stay valid while the node lives, because the slots are
/// part of the object's own allocation and never move.
///
/// The optimiser does not see views: where a node is replaced, it may free the old one after its last use by
/// reference. So code that reads a node to replace it belongs to `Node`, which extends its life (S5).
package struct NodeView: Equatable {
  private let reference: Unmanaged<Node>

  package init(_ node: Node) { reference = .passUnretained(node) }
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

  /// The keys; in a run, only the first key.
  package var keys: UnsafeMutablePointer<TreeKey> { keys(at: keyOffset) }

  /// The keys of an inner node, without a look at its header.
  var separators: UnsafeMutablePointer<TreeKey> { keys(at: 0) }

  func keys(at offset: Int) -> UnsafeMutablePointer<TreeKey> {
    // Keys are two words, and the slots were allocated as words.
    (slots + offset).assumingMemoryBound(to: TreeKey.self)
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

  var slots: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  package var height: Int { Int(header.pointee.height) }
  var capacity: Int { Int(header.pointee.capacity) }
  var layout: TreeLayout { header.pointee.layout }
  var stride: Int { layout.stride }
  package var form: LeafForm { header.pointee.form }
  var keyOffset: Int { Int(header.pointee.keyOffset) }
  /// For an inner node of a standard layout: how many bits of a number are below the bits that select its
  /// child. 0 for a leaf and in other layouts.
  var digitBits: UInt8 { header.pointee.digitBits }
  var isFull: Bool { count == capacity }

  package var count: Int {
    get { Int(header.pointee.count) }
    nonmutating set { header.pointee.count = Int32(newValue) }
  }

  var total: Int {
    get { header.pointee.total }
    nonmutating set { header.pointee.total = newValue }
  }

  /// Child `index`, read as bits so that no reference is counted.
  package func child(_ index: Int) -> NodeView {
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
    UnsafeMutableRawPointer(separators + range.lowerBound)
      .initializeMemory(as: UInt64.self, repeating: 0, count: range.count * 2)
    UnsafeMutableRawPointer(children + range.lowerBound)
      .initializeMemory(as: UInt.self, repeating: 0, count: range.count)
  }

  /// The key in a slot.
  @inline(__always)
  func key(_ slot: Int) -> TreeKey {
    if form != .run { return keys[slot] }
    let first = keys[0]
    return TreeKey(first.first &+ UInt64(truncatingIfNeeded: slot), first.second)
  }

  /// - Parameter stride: the layout's stride.
  @inline(__always)
  func payload(_ index: Int, stride: Int) -> UnsafeMutableRawPointer {
    payloads + (form == .oneStamp ? 0 : index &* stride)
  }

  @inline(__always)
  func payload(_ index: Int) -> UnsafeMutableRawPointer { payload(index, stride: stride) }
}
