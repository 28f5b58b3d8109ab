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
