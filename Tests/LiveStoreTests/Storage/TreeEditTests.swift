import Testing

import LiveStore

@Suite struct `Tree edits` {
  @Test(arguments: smallCapacities)
  func `every order of insertion and removal keeps the tree legal`(leaf: Int, inner: Int) {
    let layout = TreeLayout.keys(order: .first, leafCapacity: leaf, innerCapacity: inner)
    forEachPermutation(of: Array(1...6)) { order in
      var tree = Tree(layout)
      var model: Set<Int> = []
      for row in order {
        check(tree.insert(TreeKey(UInt64(row), UInt64(row + 100))) { _ in }, "insert \(row) of \(order)")
        check(!tree.insert(TreeKey(UInt64(row), 0)) { _ in }, "insert \(row) again, of \(order)")
        model.insert(row)
        tree._checkInvariants()
        check(tree.keys == keys(model), "inserting \(order)")
      }
      for row in order {
        check(tree.remove(TreeKey(UInt64(row), 0)), "remove \(row) of \(order)")
        check(!tree.remove(TreeKey(UInt64(row), 0)), "remove \(row) again, of \(order)")
        model.remove(row)
        tree._checkInvariants()
        check(tree.keys == keys(model), "removing \(order)")
      }
    }
  }

  private func keys(_ model: Set<Int>) -> [TreeKey] {
    model.sorted().map { TreeKey(UInt64($0), UInt64($0 + 100)) }
  }
}
