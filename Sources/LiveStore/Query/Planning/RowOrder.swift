/// The order of a result: by its keys, with ties in insertion order or as in the list (Q3).
package struct RowOrder: Hashable, Sendable {
  package let keys: [SortKey]

  package init(keys: [SortKey]) {
    self.keys = keys
  }

  /// Whether a row's abbreviation by the first key decides the order except for ties in insertion order.
  package var isExact: Bool { keys.isEmpty || (keys.count == 1 && keys[0].isExact) }

  /// Whether all keys are known to have a consistent ordering.
  var isConsistent: Bool { keys.allSatisfy(\.isConsistent) }

  package func abbreviate(_ row: UnsafeRawPointer, _ context: ReadContext) -> UInt64 {
    keys[0].abbreviate(row, context)
  }

  /// Writes the abbreviations of the selected rows of a block.
  func abbreviate(_ block: RowBlock, _ context: ReadContext, into words: UnsafeMutablePointer<UInt64>) {
    keys[0].abbreviateBlock(block, context, words)
  }

  /// Compares two rows by all keys; 0 is a tie.
  package func compare(
    _ lhs: UnsafeRawPointer, _ left: ReadContext, _ rhs: UnsafeRawPointer, _ right: ReadContext
  ) -> Int {
    for key in keys {
      let result = key.compare(lhs, left, rhs, right)
      if result != 0 { return result }
    }
    return 0
  }

  package static func == (lhs: RowOrder, rhs: RowOrder) -> Bool { lhs.keys == rhs.keys }
  package func hash(into hasher: inout Hasher) { hasher.combine(keys) }
}

extension RowOrder {
  /// Whether no two rows of a table can tie: the order is by the id, or by all properties of a unique index,
  /// none of which may be nil.
  func isTotal(for info: EntityInfo, _ context: ReadContext) -> Bool {
    guard isConsistent else { return false }
    let paths = Set(keys.map(\.path))
    if paths.contains(.id) { return true }
    // Until a transaction commits, rows may have equal values of a unique index.
    return context.isCommitted
      && info.indexes.contains { index in
        index.isUnique && index.properties.allSatisfy { paths.contains($0.path) && !$0.functions.isOptional }
      }
  }
}
