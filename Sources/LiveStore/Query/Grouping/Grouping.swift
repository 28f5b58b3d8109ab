/// The grouping of a query's rows and the aggregate of each group, without types.
struct Grouping: Hashable, Sendable {
  /// Two groupings of one entity are equal if their forms are.
  struct Form: Hashable, Sendable {
    /// Nil if all rows are one group.
    let key: PropertyPath?
    let kind: Kind
    /// The value that is added up or compared.
    let value: PropertyPath?
  }

  enum Kind: Hashable, Sendable {
    case count, sum, min, max, average
    /// The rows stay the result, and the groups are its sections.
    case sections
  }

  let form: Form
  /// The values that the grouping names, beyond those of the stages.
  let operands: [Operand]
  /// An empty table of such groups.
  let makeTable: @Sendable () -> any GroupUpkeep

  static func == (lhs: Grouping, rhs: Grouping) -> Bool { lhs.form == rhs.form }
  func hash(into hasher: inout Hasher) { hasher.combine(form) }
}

/// Where the grouped rows can be read.
struct GroupSource {
  /// The current trees of all stages.
  let trees: [Tree]
  let table: Int
  let old: ReadContext
  let new: ReadContext
}

/// Groups in the order of their result, as rows of the last table of a state.
struct GroupedRows {
  let state: StoreState
  var window: ResultWindow
}

/// A table of groups that is maintained from the rows of a query's last stage: a value made of trees.
protocol GroupUpkeep: Sendable {
  /// Applies rows that entered, left or changed in the last stage's window.
  ///
  /// - Returns: false if keys or values are inconsistent; then the groups need to be rebuilt.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], _ source: GroupSource) -> Bool

  /// The groups as rows of a table beside those of a state.
  func rows(beside state: StoreState) -> GroupedRows
}

extension GroupUpkeep {
  /// Adds all rows of a window. Returns false as above.
  mutating func fill(from window: ResultWindow, _ source: GroupSource) -> Bool {
    let table = source.new.tables[source.table]
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    let rows = window.ranks.compactMap { _ in
      cursor.next().map { entry in
        let row = window.rowNumber(entry.key)
        return RowChange(row: row, old: nil, new: table.existing(row), stamp: 0)
      }
    }
    return apply(rows, source)
  }
}
