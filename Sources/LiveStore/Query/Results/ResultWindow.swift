/// The rows of a query at one version: a range of ranks in a tree whose entries name rows of a table.
///
/// There are three kinds of tree, with different layouts: the table itself; (row number, stamp) for rows in insertion
/// order; (sort key in 64 bits, row number) with a stamp for rows in another order.
package struct ResultWindow: Sendable {
  package let table: Int
  package let tree: Tree
  package internal(set) var ranks: Range<Int>
  /// The keys that order the tree; none for insertion order.
  package let order: RowOrder
  /// Values of linked rows that the query names. A row also differs if one of these does.
  var linked: [NamedValue] = []
  /// The positions of a list's entries, which order ties.
  package var positions: ListPositions?
  /// Why the evaluation ended early, if it did.
  var failure: StoreError?

  package init(
    table: Int, tree: Tree, ranks: Range<Int>, order: RowOrder, linked: [NamedValue] = [],
    positions: ListPositions? = nil, failure: StoreError? = nil
  ) {
    self.table = table
    self.tree = tree
    self.ranks = ranks
    self.order = order
    self.linked = linked
    self.positions = positions
    self.failure = failure
  }

  package var count: Int { ranks.count }

  /// A window without rows.
  static func none(of table: Int) -> ResultWindow {
    ResultWindow(table: table, tree: Tree(.insertionOrder), ranks: 0..<0, order: RowOrder(keys: []))
  }

  /// A window without rows, for a store without the entity. The results say why they are empty.
  static func ofUnknownEntity(_ type: any Entity.Type) -> ResultWindow {
    var window = none(of: -1)
    window.failure = .unknownEntity(type)
    return window
  }

  /// The row at a position in the window.
  package func row(at position: Int) -> UInt64 { rowNumber(tree.entry(at: ranks.lowerBound + position).key) }

  /// All entries, as a difference lists them.
  package var entries: [TreeDifference.Entry] {
    var cursor = TreeCursor(tree, at: ranks.lowerBound)
    return ranks.compactMap { rank in
      cursor.next().map { TreeDifference.Entry(rank: rank, key: $0.key, stamp: 0) }
    }
  }

  package func rowNumber(_ key: TreeKey) -> UInt64 {
    tree.layout.order == .first ? key.first : tree.layout.row(key.second)
  }

  /// The identity of an entry within its tree: the row, or the occurrence in a list.
  package func identity(_ key: TreeKey) -> UInt64 { tree.layout.order == .first ? key.first : key.second }

  /// The identity of an entry across results of the query: the row, or the label in the list.
  func name(_ key: TreeKey) -> UInt64 {
    guard tree.layout.areOccurrences else { return identity(key) }
    return order.keys.isEmpty ? key.first : positions?.label(of: key.second) ?? key.second
  }

  /// The row that the second word of a key names in this tree.
  package func row(_ second: UInt64) -> UInt64 { tree.layout.row(second) }

  /// The position of a row, whose object is given in its context; nil when the row is not in the window.
  ///
  /// - Complexity: O(log *m*); O(*m*) for entries of a list; the first such entry is returned.
  package func position(of row: UInt64, _ object: UnsafeRawPointer, _ context: ReadContext) -> Int? {
    if tree.layout.areOccurrences {
      var cursor = TreeCursor(tree, at: ranks.lowerBound)
      for position in 0..<count where cursor.next().map({ rowNumber($0.key) == row }) ?? false {
        return position
      }
      return nil
    }
    let rank: Int?
    if tree.layout.order == .first {
      rank = tree.rank(of: TreeKey(row, 0))
    } else {
      let table = context.tables[table]
      rank = tree.rank(of: TreeKey(order.abbreviate(object, context), row)) { other in
        order.isExact ? 0 : order.compare(object, context, table.existing(other), context)
      }
    }
    guard let rank, ranks.contains(rank) else { return nil }
    return rank - ranks.lowerBound
  }
}
