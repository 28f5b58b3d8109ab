// Distinct rows are maintained with two trees. The first has all rows, ordered by the keys and then as the query is,
// so a search finds the first row of any value. The second has the first rows and is the result. A changed row can
// only affect the first rows of its old value and of its new value, so these are looked up before and after (G4).
// Keys without an order are ordered by their hashes; rows of other values with the same hash are skipped.

/// Computes how changed rows change the set of first rows.
struct DistinctStep {
  private let keys: [SortKey]
  private let order: RowOrder
  private let old: StoreState
  private let new: StoreState
  private let table: Int
  /// The positions of entries, if the rows are entries of a list.
  private let places: (old: ListPlaces?, new: ListPlaces?)

  /// - Parameter keys: the keys that order the tree of all rows first.
  init(
    _ keys: [SortKey], _ table: Int, _ old: StoreState, _ new: StoreState,
    _ places: (old: ListPlaces?, new: ListPlaces?)
  ) {
    self.places = places
    self.keys = keys
    order = RowOrder(keys: keys)
    self.table = table
    self.old = old
    self.new = new
  }

  /// - Parameter rows: rows that entered, left or changed in the tree of all rows.
  /// - Returns: the rows that entered, left or changed among the first rows.
  /// - Complexity: O(*k* log *m*), and a step for each row of another value with the same hash.
  func changes(_ rows: [RowChange], from before: Tree, to after: Tree) -> [RowChange] {
    // A row's linked values may have changed while the row itself did not.
    let changed = Set(rows.lazy.filter { $0.old != nil && $0.new != nil }.map(\.row))
    var states: [UInt64: (wasFirst: Bool, isFirst: Bool)] = [:]
    func look(_ object: UnsafeRawPointer, _ context: ReadContext) {
      if let row = first(like: object, context, in: before, old) {
        states[row, default: (false, false)].wasFirst = true
      }
      if let row = first(like: object, context, in: after, new) {
        states[row, default: (false, false)].isFirst = true
      }
    }
    for row in rows {
      if let object = row.old { look(object, old.context) }
      if let object = row.new { look(object, new.context) }
    }
    let layout = after.layout
    return states.compactMap { row, state in
      let before = state.wasFirst ? entry(layout.row(row), old) : nil
      let after = state.isFirst ? entry(layout.row(row), new) : nil
      let labels = (
        before == nil ? 0 : places.old?.label(of: row) ?? 0,
        after == nil ? 0 : places.new?.label(of: row) ?? 0
      )
      // An equal stamp means that the row did not change.
      if let before, let after, before.key.second == after.key.second, labels.0 == labels.1,
        !changed.contains(row)
      {
        return nil
      }
      return RowChange(
        row: row, old: before?.payload, new: after?.payload, stamp: after?.key.second ?? 0, places: labels)
    }
  }

  private func entry(_ row: UInt64, _ state: StoreState) -> TreeEntry? {
    state.tables[table].rows.floor(row).flatMap { $0.key.first == row ? $0 : nil }
  }

  /// The first row with the values of an object.
  private func first(
    like object: UnsafeRawPointer, _ context: ReadContext, in tree: Tree, _ state: StoreState
  ) -> UInt64? {
    let rows = state.tables[table]
    let key = order.abbreviate(object, context)
    func compare(_ second: UInt64) -> Int {
      order.compare(rows.existing(tree.layout.row(second)), state.context, object, context)
    }
    let start = tree.partitionPoint(first: key) { compare($0) < 0 }
    var cursor = TreeCursor(tree, at: start)
    while let entry = cursor.next(), entry.key.first == key, compare(entry.key.second) == 0 {
      let other = rows.existing(tree.layout.row(entry.key.second))
      let isSame = keys.allSatisfy { $0.isSame?(other, state.context, object, context) ?? true }
      if isSame { return entry.key.second }
    }
    return nil
  }
}

/// Iterates over rows ordered by keys and identifies the first row of each value.
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

  /// Whether no earlier row has the values of this one.
  mutating func isFirst(_ row: UInt64) -> Bool {
    let object = rows.existing(row)
    if let first = tied.first, order.compare(first, context, object, context) != 0 { tied = [] }
    let isKnown = tied.contains { isSame($0, object) }
    if !isKnown { tied.append(object) }
    return !isKnown
  }

  private func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    order.compare(lhs, context, rhs, context) == 0
      && keys.allSatisfy { $0.isSame?(lhs, context, rhs, context) ?? true }
  }
}
