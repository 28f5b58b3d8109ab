/// A node without a reference to it, like `NodeView`: something else keeps the node alive.
///
/// All pointers into a node come from here. They stay valid while the node lives, because the slots are
/// part of the object's own allocation and never move.
package struct HashNodeView {
  let reference: Unmanaged<HashNode>

  package init(_ node: HashNode) { reference = .passUnretained(node) }
  package init(_ reference: Unmanaged<HashNode>) { self.reference = reference }

  // The pointers leave their closures: allowed as argued above.
  private var header: UnsafeMutablePointer<HashHeader> {
    reference._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  var words: UnsafeMutableRawPointer {
    reference._withUnsafeGuaranteedRef { node in
      node.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }
  }

  package var capacity: Int { Int(header.pointee.capacity) }
  var bits: Int { Int(header.pointee.bits) }
  var count: Int {
    get { header.pointee.count }
    nonmutating set { header.pointee.count = newValue }
  }

  /// The slots of an inner node, whose words were initialised as slots.
  var slots: UnsafeMutablePointer<HashSlot> { words.assumingMemoryBound(to: HashSlot.self) }
}

/// Inner nodes.
extension HashNodeView {
  /// Child `index`, which must exist.
  func child(_ index: Int) -> HashNodeView {
    guard let child = slots[index].child else { preconditionFailure("slot \(index) is empty") }
    return HashNodeView(child)
  }

  /// The slots with the same child as slot `index`, or the empty ones around it: an aligned power of two.
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

  /// Visits each child once.
  package func forEachChild(_ body: (Unmanaged<HashNode>) -> Void) {
    var last = HashSlot.empty
    for index in 0..<(1 << bits) where slots[index] != last {
      last = slots[index]
      if let child = last.child { body(child) }
    }
  }

  /// Whether nothing else refers to the child in a slot.
  func isUniqueChild(_ index: Int) -> Bool {
    var child = slots[index].child?.toOpaque()
    // The word is the reference that this node counts, and none other is counted here.
    return withUnsafeMutablePointer(to: &child) {
      $0.withMemoryRebound(to: HashNode?.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
    }
  }

  /// Reads a word of every child before their references are counted, like `NodeView.touchChildren`.
  func touchChildren() {
    var words: UInt = 0
    forEachChild { words |= $0.toOpaque().load(as: UInt.self) }
    precondition(words & 1 == 0, "an object begins with the address of its type")
  }

  /// Puts another child into a run and releases the old one.
  func replace(_ run: Range<Int>, by node: HashNode?) {
    let old = slots[run.lowerBound].child
    (slots + run.lowerBound).update(
      repeating: node.map { HashSlot(.passRetained($0)) } ?? .empty, count: run.count)
    old?.release()
  }

  /// For an inner node: a copy, doubled if requested, that shares the children.
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

extension HashNode {
  /// For an inner node: a copy, to be put in its place; it lives until the copy is complete, like a `Node`.
  func copyInner(doubled: Bool = false) -> HashNode {
    withExtendedLifetime(self) { HashNodeView(self).copyInner(doubled: doubled) }
  }
}
