/// What a query's rows are grouped by and what becomes of each group, as a value without types.
struct Grouping: Hashable, Sendable {
  /// Equal forms of one entity are the same grouping.
  struct Form: Hashable, Sendable {
    /// Nil where all rows are one group.
    let key: PropertyPath?
    let kind: Kind
    /// What is added up or compared.
    let value: PropertyPath?
  }

  enum Kind: Hashable, Sendable {
    case count, sum, min, max, average
    /// Rows stay what the result is, and the groups are its sections.
    case sections
  }

  let form: Form
  /// The values it names, beyond those of the stages.
  let operands: [Operand]
  /// An empty table of such groups.
  let makeTable: @Sendable () -> any GroupUpkeep

  static func == (lhs: Grouping, rhs: Grouping) -> Bool { lhs.form == rhs.form }
  func hash(into hasher: inout Hasher) { hasher.combine(form) }
}

/// Where the rows that are grouped can be read.
struct GroupSource {
  /// The trees of all stages, as they are now.
  let trees: [Tree]
  let table: Int
  let old: ReadContext
  let new: ReadContext

  init(_ trees: [Tree], _ table: Int, _ old: StoreState, _ new: StoreState) {
    self.trees = trees
    self.table = table
    self.old = old.context
    self.new = new.context
  }
}

/// A table of groups that follows the rows of a query's last stage: a value, made of trees.
protocol GroupUpkeep: Sendable {
  /// Follows rows that entered, left or changed in the last stage's window.
  ///
  /// - Returns: false if keys or values contradict themselves; then the groups are to be made anew.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], _ source: GroupSource) -> Bool

  /// What an observer reads, in a state that has the groups for its last table.
  ///
  /// - Parameter rows: the window of the last stage, which sections are sections of.
  func side(_ state: StoreState, _ rows: ResultWindow, version: Version?) -> ResultSide
}

extension GroupUpkeep {
  /// Takes all rows of a window; false as above.
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
