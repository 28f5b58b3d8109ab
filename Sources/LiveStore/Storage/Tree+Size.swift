extension Tree {
  /// The bytes of its nodes, estimated from the paths to sixteen entries that are spread over it.
  ///
  /// An entry's share of the bytes is that of each node on its path, divided by the entries below that node. The mean
  /// share of all entries, times their number, would be exact.
  /// - Complexity: O(log *n*).
  package var estimatedBytes: Int {
    guard let root else { return 0 }
    let samples = min(count, 16)
    var share = 0.0
    for sample in 0..<samples {
      var rank = count * (2 * sample + 1) / (2 * samples)
      var node = NodeView(root)
      while true {
        let isLeaf = node.height == 0
        share +=
          Double(Node.byteCount(layout: layout, isLeaf: isLeaf, form: isLeaf ? node.form : .plain))
          / Double(node.total)
        if isLeaf { break }
        node = node.child(node.childAndOffset(ofEntry: &rank))
      }
    }
    return withExtendedLifetime(root) { Int(share / Double(samples) * Double(count)) }
  }
}

extension HashIndex {
  /// The bytes of its nodes, estimated: twelve bytes for an entry in leaves of which a third is free, as usual.
  ///
  /// - Complexity: O(1).
  package var estimatedBytes: Int { count * 18 }
}
