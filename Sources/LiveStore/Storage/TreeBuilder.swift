/// Builds a tree from entries in ascending order. All its nodes have the same chosen number of slots in use,
/// except at the right edge.
///
/// - Complexity: O(1) an entry, amortised.
package struct TreeBuilder: ~Copyable {
  let layout: TreeLayout
  /// The open node at each height; an open leaf is never empty. Closed nodes are below the next open one.
  private var edge: [Node] = []
  /// The origin of the tree that is extended.
  private var origin: UInt64?
  /// How many slots of a closed leaf, and of a closed inner node, are in use.
  private let leafLimit: Int
  private let innerLimit: Int

  /// - Parameter leavingRoom: whether an eighth of each node remains free, for entries that are going to be inserted
  ///   between these. Otherwise nodes are full.
  package init(_ layout: TreeLayout, leavingRoom: Bool = false) {
    self.layout = layout
    leafLimit = layout.leafCapacity - (leavingRoom ? layout.leafCapacity / 8 : 0)
    innerLimit = layout.innerCapacity - (leavingRoom ? layout.innerCapacity / 8 : 0)
  }

  /// Continues a tree. The variable is empty until the finished tree is assigned to it.
  ///
  /// - Complexity: O(log `count`); copies at most the nodes at its right edge.
  init(extending tree: inout Tree) {
    self.init(tree.layout)
    guard var node = tree.root else { return }
    origin = tree.origin
    tree.root = nil
    while NodeView(node).height > 0 {
      let view = Tree.uniqueView(of: &node)
      edge.insert(node, at: 0)
      node = view.children[view.count - 1]
      // The last child is pushed again later, at the end at the latest.
      view.removeSlot(view.count - 1)
    }
    // A leaf without room is not written to.
    if !NodeView(node).isFull, !isKnownUniquelyReferenced(&node) { node = node.copy() }
    edge.insert(node, at: 0)
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

  /// Adds many keys, ascending and greater than all before them, leaf by leaf, to a tree of keys alone.
  package mutating func append(keys: UnsafeBufferPointer<TreeKey>) {
    layout.requireKeysAlone()
    guard let start = keys.baseAddress else { return }
    var next = 0
    while next < keys.count {
      openLeaf()
      let leaf = NodeView(edge[0])
      let count = min(leafLimit - leaf.count, keys.count - next)
      (leaf.keys + leaf.count).initialize(from: start + next, count: count)
      leaf.count += count
      leaf.total += count
      next += count
    }
  }

  /// Adds those of up to 64 keys whose bits are set, ascending and greater than all before them, to a tree of keys
  /// alone.
  ///
  /// - Parameter stamp: the second word of all of them; nil for the keys' own second words.
  mutating func append(_ keys: LeafKeys, selected: UInt64, stamp: UInt64?) {
    layout.requireKeysAlone()
    var rest = SelectedBits(selected)
    var next = rest.next()
    while next != nil {
      openLeaf()
      let leaf = NodeView(edge[0])
      let (target, start) = (leaf.keys, leaf.count)
      var slot = start
      while slot < leafLimit, let index = next {
        (target + slot).initialize(to: TreeKey(keys[index].first, stamp ?? keys[index].second))
        slot &+= 1
        next = rest.next()
      }
      leaf.count = slot
      leaf.total &+= slot &- start
    }
  }

  /// Adds many keys with stamps, ascending and greater than all before them, leaf by leaf. A leaf of equal stamps has
  /// one for all (S7).
  package mutating func append(count: Int, _ entry: (Int) -> (key: TreeKey, stamp: UInt64)) {
    layout.requireStamps()
    var next = 0
    while next < count {
      let stamp = entry(next).stamp
      let end = min(next + layout.leafCapacity, count)
      openLeaf((next..<end).allSatisfy { entry($0).stamp == stamp } ? .oneStamp : .plain)
      let leaf = NodeView(edge[0])
      let (keys, isPlain, start) = (leaf.keys, leaf.form == .plain, leaf.count)
      // Stamps are words.
      let stamps = leaf.payloads.assumingMemoryBound(to: UInt64.self)
      if !isPlain { stamps.initialize(to: stamp) }
      let length = min(leafLimit - start, count - next)
      for index in 0..<length {
        let (key, stamp) = entry(next + index)
        (keys + start + index).initialize(to: key)
        if isPlain { (stamps + start + index).initialize(to: stamp) }
      }
      leaf.count += length
      leaf.total += length
      next += length
    }
  }

  /// Adds values under consecutive numbers, greater than all before them, leaf by leaf, as runs where they begin a
  /// leaf or continue a run (S7).
  ///
  /// - Parameter initialize: is given uninitialised payloads, and the positions of their entries among the new ones.
  package mutating func append(
    _ first: UInt64, stamp: UInt64, count: Int,
    initialize: (UnsafeMutableRawPointer, Range<Int>) -> Void
  ) {
    precondition(layout.holdsObjects, "a tree of keys takes no values")
    var next = 0
    while next < count {
      let key = TreeKey(first + UInt64(next), stamp)
      openRun(key)
      let leaf = NodeView(edge[0])
      let (start, length) = (leaf.count, min(leafLimit - leaf.count, count - next))
      if leaf.form == .plain {
        for index in 0..<length {
          (leaf.keys + start + index).initialize(to: TreeKey(key.first + UInt64(index), stamp))
        }
      } else if start == 0 {
        leaf.keys.initialize(to: key)
      }
      initialize(leaf.payload(start), next..<(next + length))
      leaf.count += length
      leaf.total += length
      next += length
    }
  }

  /// Ensures that the open leaf has room: a new one of this form, or a plain one.
  private mutating func openLeaf(_ form: LeafForm = .plain) {
    if edge.isEmpty {
      edge.append(Node.make(layout: layout, height: 0, form: form))
    } else if NodeView(edge[0]).count == leafLimit {
      push(edge[0], to: 1)
      edge[0] = Node.make(layout: layout, height: 0, form: form)
    } else if NodeView(edge[0]).form != .plain {
      edge[0] = edge[0].madePlain()
    }
  }

  /// Ensures that the open leaf has room for this key: a new run, a run that it continues, or a plain leaf.
  private mutating func openRun(_ key: TreeKey) {
    if let leaf = edge.first.map({ NodeView($0) }), leaf.form == .run,
      leaf.count < leafLimit, leaf.key(leaf.count) == key
    {
      return
    }
    openLeaf(.run)
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
    } else if NodeView(edge[height]).count == innerLimit {
      push(edge[height], to: height + 1)
      edge[height] = Node.make(layout: layout, height: height)
    }
    let parent = NodeView(edge[height])
    parent.insertChild(child, at: parent.count)
  }
}
