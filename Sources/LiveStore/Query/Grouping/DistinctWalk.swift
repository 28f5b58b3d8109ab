/// Goes through rows ordered by keys and finds the first row of each value.
struct DistinctWalk {
  private let keys: [SortKey]
  private let order: RowOrder
  private let rows: TableState
  private let context: ReadContext
  /// The first rows that tie with the row tested last.
  private var tied: [UnsafeRawPointer] = []

  init(_ keys: [SortKey], _ table: Int, _ context: ReadContext) {
    self.keys = keys
    order = RowOrder(keys: keys)
    rows = context.tables[table]
    self.context = context
  }

  /// Whether no row before this one has its values.
  mutating func isFirst(_ row: UInt64) -> Bool {
    let object = rows.existing(row)
    if let first = tied.first, order.compare(first, context, object, context) != 0 { tied = [] }
    context.run?.compare(elements: tied.count)
    let isKnown = tied.contains { isSame($0, object) }
    if !isKnown { tied.append(object) }
    return !isKnown
  }

  private func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    order.compare(lhs, context, rhs, context) == 0
      && keys.allSatisfy { $0.isSame?(lhs, context, rhs, context) ?? true }
  }
}
