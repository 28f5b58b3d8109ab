/// Editing an entry in place.
extension Tree {
  /// Edits the payload, and in trees ordered by `first` the stamp, of the entry with this key. Returns false, and
  /// changes nothing, when there is none.
  ///
  /// - Complexity: O(log `count`); copies at most the nodes of one path.
  @discardableResult
  package mutating func update(
    _ key: TreeKey, tie: (UInt64) -> Int = { _ in 0 },
    _ edit: (UnsafeMutableRawPointer, inout UInt64) -> Void
  ) -> Bool {
    var path = TreePath()
    guard find(key, tie: tie, path: &path) else { return false }
    var node = Tree.uniqueView(of: &root!)
    while node.height > 0 {
      node = Tree.uniqueView(of: &node.children[path[node.height]])
    }
    let slot = path[0]
    let before = node.keys[slot].second
    edit(node.payload(slot), &node.keys[slot].second)
    let after = node.keys[slot].second
    guard before != after else { return true }
    precondition(layout.order == .first, "`second` is part of the key here and cannot be edited")
    return true
  }
}
