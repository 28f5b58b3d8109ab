import TestSupport
import Testing

import LiveStore

@Suite struct `Stamps of sorted entries` {
  private static let capacities = smallCapacities + [(32, 32)]

  private func tree(_ stamps: [UInt64], _ layout: TreeLayout, isPlain: Bool) -> Tree {
    var builder = TreeBuilder(layout)
    func entry(_ index: Int) -> (key: TreeKey, stamp: UInt64) {
      (TreeKey(UInt64(index / 2 * 4), UInt64(index)), stamps[index])
    }
    if isPlain {
      for index in stamps.indices { builder.append(entry(index).key, stamp: stamps[index]) }
    } else {
      builder.append(count: stamps.count, entry)
    }
    return builder.finish()
  }

  @Test(arguments: capacities)
  func `leaves of one stamp have it once, until an entry of them is edited`(
    capacity: (leaf: Int, inner: Int)
  ) {
    let layout = TreeLayout.stamped(leafCapacity: capacity.leaf, innerCapacity: capacity.inner)
    for count in [1, 2, capacity.leaf, capacity.leaf + 1, capacity.leaf * 3 + 1] {
      let isLarge = count > 30 && !Environment.isThorough
      for odd in [nil] + (0..<count).map(Optional.some) {
        var stamps = [UInt64](repeating: 4, count: count)
        if let odd { stamps[odd] = 6 }
        let loaded = tree(stamps, layout, isPlain: false)
        let plain = tree(stamps, layout, isPlain: true)
        let trace = "\(count) entries, \(odd.map(String.init) ?? "none") with another stamp"
        loaded._checkInvariants()
        check(loaded.keys == plain.keys && loaded.stamps == stamps && plain.stamps == stamps, trace)
        // The leaf of the other stamp is plain, unless that is all it has.
        let isAlone = odd == count - 1 && count % capacity.leaf == 1
        check(loaded.leaves(.plain) == (odd == nil || isAlone ? 0 : 1) && plain.leaves(.oneStamp) == 0, trace)
        if count > 40 && (odd ?? 0) % 7 != 0 { continue }
        if isLarge && (odd ?? 0) % 14 != 0 { continue }
        for index in 0..<count {
          // The last entry of a leaf, the first, the odd one, and some others.
          if isLarge && (index + 1) % capacity.leaf > 1 && index != odd && index % 7 != 3 { continue }
          let key = plain.entry(at: index).key
          let edits: [(inout Tree) -> Bool] = [
            { $0.setStamp(5, at: key) }, { $0.remove(key) },
            { $0.insert(TreeKey(key.first + 1, key.second), stamp: 4) },
          ]
          for (number, edit) in edits.enumerated() {
            var (edited, expected) = (loaded, plain)
            check(edit(&edited) && edit(&expected), "\(trace), edit \(number) of \(index)")
            edited._checkInvariants()
            check(edited.keys == expected.keys && edited.stamps == expected.stamps, trace)
            let ranks = (0..<count, 0..<edited.count)
            let difference = Tree.difference(from: loaded, in: ranks.0, to: edited, in: ranks.1)
            let other = Tree.difference(from: plain, in: ranks.0, to: expected, in: ranks.1)
            check(difference.removed == other.removed && difference.added == other.added, trace)
            // The same where nothing else refers to the nodes.
            var alone = tree(stamps, layout, isPlain: false)
            _ = edit(&alone)
            alone._checkInvariants()
            check(alone.keys == expected.keys && alone.stamps == expected.stamps, "\(trace), alone")
          }
        }
        check(loaded.stamps == stamps, "\(trace), held")
      }
    }
  }

  @Test func `entries follow a leaf of one stamp that has room`() {
    var builder = TreeBuilder(.stamped(leafCapacity: 4, innerCapacity: 4))
    builder.append(count: 2) { (TreeKey(UInt64($0), 0), stamp: 1) }
    builder.append(TreeKey(2, 0), stamp: 2)
    builder.append(count: 7) { (TreeKey(UInt64($0 + 3), 0), stamp: 3) }
    let tree = builder.finish()
    tree._checkInvariants()
    #expect(tree.keys.map(\.first) == Array(0..<10))
    #expect(tree.stamps == [1, 1, 2] + [UInt64](repeating: 3, count: 7))
  }
}
