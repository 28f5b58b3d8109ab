/// Builds a tree from entries in ascending order, with full nodes everywhere except at the right edge.
///
/// - Complexity: O(1) an entry, amortised.
package struct TreeBuilder: ~Copyable {
  let layout: TreeLayout
  /// The open node at each height, of which a leaf is never empty; closed nodes are below the next one.
  private var edge: [Node] = []
  /// That of the tree that is extended.
  private var origin: UInt64?

  package init(_ layout: TreeLayout) {
    self.layout = layout
  }

  /// Continues a tree, which is empty until it is given the one of all entries.
  ///
  /// - Complexity: O(log `count`); copies at most the nodes at its right edge.
  init(extending tree: inout Tree) {
    layout = tree.layout
    guard var node = tree.root else { return }
    origin = tree.origin
    tree.root = nil
    while true {
      let view = Tree.uniqueView(of: &node)
      edge.insert(node, at: 0)
      if view.height == 0 { return }
      node = view.children[view.count - 1]
      // Until its last child is pushed again, at the end at the latest.
      view.removeSlot(view.count - 1)
    }
  }

  /// Adds an entry greater than all before it, whose payload the closure initialises.
  package mutating func append(
    _ key: TreeKey, initialize: (UnsafeMutableRawPointer) -> Void
  ) {
    openLeaf()
    let leaf = NodeView(edge[0])
    assert(
      leaf.count == 0 || leaf.keys[leaf.count - 1].first < key.first
        || (layout.order == .both && leaf.keys[leaf.count - 1].first == key.first),
      "entries must be appended in ascending order")
    leaf.insertEntry(key, at: leaf.count, initialize: initialize)
  }

  /// Adds many entries, ascending and greater than all before them, leaf by leaf.
  ///
  /// - Parameter stamps: a stamp for each key, if the layout is stamped.
  package mutating func append(keys: UnsafeBufferPointer<TreeKey>, stamps: UnsafePointer<UInt64>?) {
    guard let start = keys.baseAddress else { return }
    var next = 0
    while next < keys.count {
      openLeaf()
      let leaf = NodeView(edge[0])
      let count = min(leaf.capacity - leaf.count, keys.count - next)
      (leaf.keys + leaf.count).initialize(from: start + next, count: count)
      if let stamps {
        // A stamped layout's payload is one word.
        leaf.payload(leaf.count).initializeMemory(as: UInt64.self, from: stamps + next, count: count)
      }
      leaf.count += count
      leaf.total += count
      next += count
    }
  }

  /// Adds those of up to 64 keys whose bits are set, ascending and greater than all before them, to a tree of keys
  /// alone.
  ///
  /// - Parameter stamp: the second word of all of them; nil for their own.
  mutating func append(_ keys: UnsafePointer<TreeKey>, selected: UInt64, stamp: UInt64?) {
    layout.requireKeysAlone()
    var rest = SelectedBits(selected)
    var next = rest.next()
    while next != nil {
      openLeaf()
      let leaf = NodeView(edge[0])
      let (target, start, capacity) = (leaf.keys, leaf.count, leaf.capacity)
      var slot = start
      while slot < capacity, let index = next {
        (target + slot).initialize(to: TreeKey(keys[index].first, stamp ?? keys[index].second))
        slot &+= 1
        next = rest.next()
      }
      leaf.count = slot
      leaf.total &+= slot &- start
    }
  }

  /// Adds entries with consecutive first words, greater than all before them, leaf by leaf.
  ///
  /// - Parameter initialize: is given uninitialised payloads, and the positions of their entries among the new ones.
  mutating func append(
    _ first: UInt64, stamp: UInt64, count: Int,
    initialize: (UnsafeMutableRawPointer, Range<Int>) -> Void
  ) {
    var next = 0
    while next < count {
      openLeaf()
      let leaf = NodeView(edge[0])
      let (start, length) = (leaf.count, min(leaf.capacity - leaf.count, count - next))
      for index in 0..<length {
        (leaf.keys + start + index).initialize(to: TreeKey(first + UInt64(next + index), stamp))
      }
      initialize(leaf.payload(start), next..<(next + length))
      leaf.count += length
      leaf.total += length
      next += length
    }
  }

  /// Ensures that the open leaf has room.
  private mutating func openLeaf() {
    if edge.isEmpty {
      edge.append(Node.make(layout: layout, height: 0))
    } else if NodeView(edge[0]).isFull {
      push(edge[0], to: 1)
      edge[0] = Node.make(layout: layout, height: 0)
    }
  }

  /// The tree of all entries appended.
  package consuming func finish() -> Tree {
    var height = 0
    while height + 1 < edge.count {
      push(edge[height], to: height + 1)
      height += 1
    }
    return Tree(
      layout, root: edge.last, origin: origin ?? edge.last.map { NodeView($0).keys[0].first } ?? 0)
  }

  private mutating func push(_ child: Node, to height: Int) {
    if height == edge.count {
      edge.append(Node.make(layout: layout, height: height))
    } else if NodeView(edge[height]).isFull {
      push(edge[height], to: height + 1)
      edge[height] = Node.make(layout: layout, height: height)
    }
    let parent = NodeView(edge[height])
    parent.insertChild(child, at: parent.count)
  }
}
