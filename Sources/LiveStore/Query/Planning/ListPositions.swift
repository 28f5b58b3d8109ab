/// The positions of a list's entries, which order ties of a sort: each entry's label.
///
/// Trees of entries in another order than the list's use it after their keys. So an entry whose label changes is
/// removed from them and inserted again (L7).
package struct ListPositions: Sendable {
  /// (occurrence, label)
  private var tree: Tree

  /// The positions of a list's entries, in the list's own order.
  package init(_ base: Tree) {
    var positions: [TreeKey] = []
    positions.reserveCapacity(base.count)
    var cursor = TreeCursor(base)
    while let entry = cursor.next() { positions.append(TreeKey(entry.key.second, entry.key.first)) }
    positions.sort { $0.first < $1.first }
    var builder = TreeBuilder(.positions)
    positions.withUnsafeBufferPointer { builder.append(keys: $0) }
    tree = builder.finish()
  }

  /// The label of an existing entry.
  ///
  /// - Complexity: O(log *l*).
  package func label(of occurrence: UInt64) -> UInt64 { tree.floor(occurrence)?.key.second ?? 0 }

  /// Applies entries that were added, removed or changed.
  mutating func follow(_ entries: [RowChange]) {
    for entry in entries {
      let key = TreeKey(entry.row, entry.positions.new)
      if entry.new == nil {
        tree.remove(key)
      } else if !tree.setStamp(entry.positions.new, at: key) {
        tree.insert(key)
      }
    }
  }
}

extension TreeLayout {
  /// Entries of a list with their labels: (occurrence, label).
  static let positions = TreeLayout.keys(order: .first)
}

extension ListPositions {
  /// Compares two entries that tie by a sort, each in its own list; 0 if there is no list.
  package static func compare(
    _ lhs: UInt64, _ left: ListPositions?, _ rhs: UInt64, _ right: ListPositions?
  ) -> Int {
    guard let left, let right else { return 0 }
    let (first, second) = (left.label(of: lhs), right.label(of: rhs))
    return first == second ? 0 : first < second ? -1 : 1
  }
}

extension [QueryStage] {
  /// Whether ties of entries of a list need an order.
  var needPositions: Bool {
    first?.source?.isOrdered == true && contains { !$0.order.keys.isEmpty }
  }
}
