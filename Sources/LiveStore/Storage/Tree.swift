/// An immutable ordered B+ tree with subtree counts: the structure of tables, indexes and live results.
///
/// A value: copies are O(1), share all nodes, and never see each other's edits. An edit changes nodes in place where
/// only this tree refers to them and copies the others, so it copies at most one path. Separators in inner nodes are
/// exactly the first key of their child (S3); keys ascend throughout (S1).
///
/// Proof of sendability: nodes are written to only while a single reference to them exists (S5), so everything that
/// two trees share is immutable; payloads are Sendable.
package struct Tree: @unchecked Sendable {
  package let layout: TreeLayout
  package internal(set) var root: Node?
  /// The `first` of the entry that the tree began with, from which `payload(first:)` guesses; only a hint.
  package var origin: UInt64 = 0

  package init(_ layout: TreeLayout) {
    self.layout = layout
  }

  init(_ layout: TreeLayout, root: Node?, origin: UInt64) {
    self.layout = layout
    self.root = root
    self.origin = origin
  }

  /// Number of entries.
  ///
  /// - Complexity: O(1), as the three below.
  package var count: Int {
    guard let root else { return 0 }
    return NodeView(root).total
  }

  package var isEmpty: Bool { root == nil }

  /// Levels of nodes: 0 when empty, 1 for a single leaf.
  package var height: Int {
    guard let root else { return 0 }
    return NodeView(root).height + 1
  }

  /// Whether both are the same version of the same tree; false implies nothing about their entries.
  package func isIdentical(to other: Tree) -> Bool { root === other.root }

  package mutating func removeAll() { root = nil }
}
