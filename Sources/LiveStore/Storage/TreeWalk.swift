/// One side of a difference: a walk over a window that enters nodes only on request.
///
/// Names nodes without counting references: the tree outlives the walk.
struct TreeWalk {
  /// The inner nodes entered, with the child in each that is `node` or above it.
  private var levels: [(node: NodeView, slot: Int)] = []
  /// The unentered node, or the leaf in which the walk is.
  private(set) var node: NodeView
  /// The number of entries below `node`, and its height: known from above, so that a skipped node is never read.
  private var total: Int
  private(set) var height: Int
  /// The first key of `node`, from the separator for the same reason (D4).
  private var firstKey: TreeKey
  /// The entry of the leaf `node`, or -1 before a node that has not been entered.
  private var slot = -1
  private var rank: Int
  private let end: Int
  private(set) var nodesVisited = 0

  /// The window must be within the tree.
  init(_ root: Node, in ranks: Range<Int>) {
    rank = ranks.lowerBound
    end = ranks.upperBound
    let view = NodeView(root)
    node = view
    total = view.total
    height = view.height
    firstKey = view.keys[0]
    levels.reserveCapacity(height)
    guard !ranks.isEmpty else { return }
    var rest = rank
    while rest > 0 {
      nodesVisited += 1
      guard height > 0 else {
        slot = rest
        break
      }
      let child = node.childAndOffset(ofEntry: &rest)
      levels.append((node, child))
      stand(atChild: child, of: node)
    }
  }

  var isAtEnd: Bool { rank >= end }

  /// Whether the walk is before a node that it has not entered.
  var isBefore: Bool { slot < 0 }

  /// Whether the unentered node ends within the window.
  var nodeFits: Bool { rank + total <= end }

  /// The next entry's key. Separators and nodes' first keys are exact, so it is known for an unentered node.
  var key: TreeKey { slot < 0 ? firstKey : node.key(slot) }

  /// The stamp of the entry, which must be inside an entered leaf.
  func stamp(_ layout: TreeLayout) -> UInt64 {
    if layout.order == .first { return node.key(slot).second }
    return layout.isStamped ? node.payload(slot).load(as: UInt64.self) : 0
  }

  func entry(_ layout: TreeLayout) -> TreeDifference.Entry {
    TreeDifference.Entry(rank: rank, key: node.key(slot), stamp: stamp(layout))
  }

  /// Goes one level down, to the node's first child or first entry.
  mutating func enter() {
    nodesVisited += 1
    guard height > 0 else {
      slot = 0
      return
    }
    levels.append((node, 0))
    stand(atChild: 0, of: node)
  }

  /// Goes down to the next entry.
  mutating func enterLeaf() {
    while isBefore { enter() }
  }

  /// Moves past one entry.
  mutating func step() {
    rank += 1
    slot += 1
    if slot == node.count { leave() }
  }

  /// Moves past a node that has not been entered.
  mutating func skip() {
    nodesVisited += 1
    rank += total
    leave()
  }

  /// Moves to the start of the next node in key order, at the greatest height at which it starts there. At the very
  /// end of the tree only `rank` shows the position.
  private mutating func leave() {
    while let level = levels.popLast() {
      guard level.slot + 1 < level.node.count else { continue }
      levels.append((level.node, level.slot + 1))
      stand(atChild: level.slot + 1, of: level.node)
      return
    }
  }

  private mutating func stand(atChild child: Int, of parent: NodeView) {
    node = parent.child(child)
    total = parent.counts[child]
    height = parent.height - 1
    firstKey = parent.keys[child]
    slot = -1
  }
}
