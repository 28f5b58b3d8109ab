import Testing

import LiveStore

/// Rows ordered by a value of which the key keeps only the tens.
struct TiedRows {
  /// The value of each row, by row number.
  var values: [Int]

  func key(_ row: Int) -> TreeKey { TreeKey(UInt64(values[row] / 10), UInt64(row)) }

  /// The tie closure for a probe with this value.
  func tie(_ value: Int) -> (UInt64) -> Int {
    { (value - values[Int($0)]).signum() }
  }

  func compare(_ left: TreeKey, _ right: TreeKey) -> Int {
    (values[Int(left.second)] - values[Int(right.second)]).signum()
  }

  func sorted(_ rows: some Sequence<Int>) -> [TreeKey] {
    rows.sorted { (values[$0], $0) < (values[$1], $1) }.map(key)
  }
}

@Suite struct `Tree with tied keys` {
  @Test(arguments: smallCapacities, [11, 12] as [UInt64])
  func `real keys decide among equal abbreviations`(
    capacity: (leaf: Int, inner: Int), seed: UInt64
  ) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var tree = Tree(.stamped(leafCapacity: capacity.leaf, innerCapacity: capacity.inner))
    var rows = TiedRows(values: (0..<60).map { _ in Int.random(in: 0..<40, using: &random) })
    var present: Set<Int> = []
    for step in 0..<400 {
      let row = Int.random(in: 0..<60, using: &random)
      let trace = "seed \(seed), step \(step), row \(row)"
      let tie = rows.tie(rows.values[row])
      if present.contains(row) {
        check(!tree.insert(rows.key(row), tie: tie) { _ in }, trace)
        check(
          tree.update(rows.key(row), tie: tie) { payload, _ in payload.storeBytes(of: 7, as: UInt64.self) },
          trace)
        check(tree.remove(rows.key(row), tie: tie), trace)
        present.remove(row)
        // A removed row may have any value: no separator may still name it.
        rows.values[row] = Int.random(in: 0..<40, using: &random)
      } else {
        check(!tree.remove(rows.key(row), tie: tie), trace)
        check(
          tree.insert(rows.key(row), tie: tie) { $0.storeBytes(of: UInt64(step), as: UInt64.self) }, trace)
        present.insert(row)
      }
      tree._checkInvariants(compareTies: rows.compare)
      let expected = rows.sorted(present)
      check(tree.keys == expected, trace)
      for (rank, key) in expected.enumerated() {
        check(tree.rank(of: key, tie: rows.tie(rows.values[Int(key.second)])) == rank, trace)
      }
      let value = Int.random(in: 0..<41, using: &random)
      let point = tree.partitionPoint(first: UInt64(value / 10)) { rows.values[Int($0)] < value }
      check(point == present.count { rows.values[$0] < value }, trace)
    }
  }
}
