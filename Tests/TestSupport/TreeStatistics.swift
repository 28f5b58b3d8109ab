package import LiveStore

/// How many nodes a tree is made of.
package struct TreeStatistics: Equatable, Sendable {
  package var nodes = 0
  package var leaves = 0
  /// The allocated memory of the nodes, without what payloads refer to.
  package var bytes = 0
}

extension Tree {
  /// Counts the nodes.
  ///
  /// - Complexity: O(`count`).
  package var statistics: TreeStatistics {
    var result = TreeStatistics()
    if let root { NodeView(root).count(into: &result, layout) }
    return result
  }

  /// The nodes that this tree does not share with `other`.
  ///
  /// - Complexity: O(`count` of both).
  package func nodesNotShared(with other: Tree) -> Int {
    var shared: Set<UnsafeMutablePointer<TreeKey>> = []
    if let root = other.root { NodeView(root).forEachNode { shared.insert($0.keys) } }
    var count = 0
    if let root {
      NodeView(root).forEachNode { if !shared.contains($0.keys) { count += 1 } }
    }
    return count
  }
}

extension NodeView {
  fileprivate func count(into result: inout TreeStatistics, _ layout: TreeLayout) {
    forEachNode { node in
      result.nodes += 1
      result.bytes += Node.byteCount(layout: layout, isLeaf: node.height == 0, form: node.form)
      if node.height == 0 { result.leaves += 1 }
    }
  }

  fileprivate func forEachNode(_ body: (NodeView) -> Void) {
    body(self)
    guard height > 0 else { return }
    for slot in 0..<count { child(slot).forEachNode(body) }
  }
}
