/// The tables a transaction edits, and which rows it has touched.
///
/// Trees are copied node by node as edits reach them, so the state it started from is never seen to change.
/// A row's stamp tells whether this transaction has touched it before, so each existing row is listed once.
final class TransactionState {
  let base: StoreState
  let version: Version
  var tables: [TableState]
  /// Rows of numbers given before that were changed, deleted or brought back so far, by table.
  var touched: [[UInt64]]
  /// Whether an object was given that may differ in ignored properties alone.
  var hasIgnoredEdits = false
  /// How many closures of updates are running, one inside the other.
  var editDepth = 0
  /// The rows replaced while such a closure runs, in order; empty when none is running.
  var replacedInEdits: [RowPlace] = []
  /// What is read and written, where it may have to be done again.
  let trace: TransactionTrace?
  /// Called when all this is kept, still within the writer's turn.
  var whenKept: (() -> Void)?

  init(_ base: StoreState, trace: TransactionTrace? = nil) {
    self.base = base
    self.trace = trace
    version = base.version.next()
    tables = base.tables
    touched = base.tables.map { _ in [] }
  }

  var catalog: Catalog { base.catalog }
  /// The tables as they are now, to read.
  var context: ReadContext { .unnumbered(catalog, tables) }

  /// Lists a row that was there before this transaction, the first time it is touched.
  func touch(_ row: UInt64, in table: Int) {
    guard row < base.tables[table].nextRow, let entry = tables[table].rows.floor(row) else { return }
    if entry.key.second < version.number { touched[table].append(row) }
  }

  /// What a savepoint goes back to.
  struct Mark {
    let tables: [TableState]
    let touched: [Int]
    let replacedInEdits: Int
  }

  var mark: Mark {
    Mark(tables: tables, touched: touched.map(\.count), replacedInEdits: replacedInEdits.count)
  }

  func rollBack(to mark: Mark) {
    tables = mark.tables
    for (table, count) in mark.touched.enumerated() { touched[table].removeSubrange(count...) }
    replacedInEdits.removeSubrange(mark.replacedInEdits...)
  }
}

/// A row of one of the tables.
struct RowPlace: Hashable {
  let table: Int
  let row: UInt64
}
