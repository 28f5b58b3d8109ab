import Testing

import LiveStore

@Suite struct `Tree payloads` {
  @Test(arguments: smallCapacities, [1, 2, 3] as [UInt64])
  func `every older version still holds what was recorded of it`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let layout = TreeLayout.values(
      of: Tracked.self, leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
    var tree = Tree(layout)
    var versions: [(tree: Tree, names: [String])] = [(tree, [])]
    for step in 0..<120 {
      let row = Int.random(in: 0..<40, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0...1: tree.insert(row: row, Tracked(name: "a name that needs memory of its own \(step)"))
      case 2: tree.rename(row: row, "another name with memory of its own \(step)")
      case 3: tree.remove(TreeKey(UInt64(row), 0))
      // Two edits of one version, so that some nodes are shared and some are not.
      default:
        tree.remove(TreeKey(UInt64(row + 1), 0))
        tree.insert(row: row, Tracked(name: "\(step)"))
      }
      tree._checkInvariants()
      for (index, version) in versions.enumerated() {
        check(version.tree.names == version.names, "seed \(seed), step \(step), version \(index)")
      }
      versions.append((tree, tree.names))
    }
  }

  @Test(arguments: smallCapacities)
  func `every payload is destroyed exactly once`(leaf: Int, inner: Int) {
    let live = LiveCount()
    do {
      let layout = TreeLayout.values(of: Tracked.self, leafCapacity: leaf, innerCapacity: inner)
      func tracked(_ name: Int) -> Tracked { Tracked(name: "\(name)", probe: .init(live)) }
      var tree = Tree(layout)
      for row in 0..<200 { tree.insert(row: row * 7 % 200, tracked(row)) }
      #expect(live.value == 200)
      check(!tree.insert(row: 5, tracked(0)), "")
      #expect(live.value == 200)
      let held = tree
      for row in stride(from: 0, to: 200, by: 2) { tree.remove(TreeKey(UInt64(row), 0)) }
      #expect(live.value == 200)
      for row in 0..<200 { tree.rename(row: row, "new") }
      withExtendedLifetime(held) { #expect(live.value == 200) }

      var builder = TreeBuilder(layout)
      for row in 0..<50 {
        builder.append(TreeKey(UInt64(row), 0)) {
          $0.initializeMemory(as: Tracked.self, to: tracked(row))
        }
      }
      let built = builder.finish()
      withExtendedLifetime(built) { #expect(live.value == 250) }
      tree.removeAll()
    }
    #expect(live.value == 0)
  }

  @Test func `payloads that need wide alignment have it`() {
    let layout = TreeLayout.values(of: SIMD8<Double>.self, leafCapacity: 3, innerCapacity: 3)
    var tree = Tree(layout)
    for row in 0..<100 {
      tree.insert(TreeKey(UInt64(row * 37 % 100), 0)) {
        $0.initializeMemory(as: SIMD8<Double>.self, to: SIMD8(repeating: Double(row * 37 % 100)))
      }
      tree._checkInvariants()
    }
    let held = tree
    for row in stride(from: 0, to: 100, by: 3) { tree.remove(TreeKey(UInt64(row), 0)) }
    tree._checkInvariants()
    for row in 0..<100 {
      let expected = SIMD8(repeating: Double(row))
      #expect(held.payload(first: UInt64(row))?.load(as: SIMD8<Double>.self) == expected)
      let left = tree.payload(first: UInt64(row))?.load(as: SIMD8<Double>.self)
      #expect(left == (row % 3 == 0 ? nil : expected))
    }
  }
}
