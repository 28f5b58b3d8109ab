import Foundation

/// The tables that a transaction edits, and which rows it has touched.
///
/// Edits copy tree nodes on demand, so the state that it started from never changes (T1). A row's stamp shows
/// whether this transaction has touched it, so each existing row is listed once.
///
/// Overlapping access to `tables` is checked for at run time, since code of the user's runs while they are edited
/// (`<`, `hash(into:)`, getters, `deinit`). It is not for the other variables, in whose accesses no such code can run.
package final class TransactionState {
  let base: StoreState
  let version: Version
  package var tables: [TableState]
  /// Existing row numbers that were changed, deleted or restored, by table.
  @exclusivity(unchecked) var touched: [[UInt64]]
  /// Whether a touched row may be again what it was: after a second edit of it, or after undo restored it.
  @exclusivity(unchecked) var mayHaveReverted = false
  /// Whether a written object may differ in ignored properties alone.
  @exclusivity(unchecked) var hasIgnoredEdits = false
  /// How many closures of updates are running, nested in each other.
  @exclusivity(unchecked) var editDepth = 0
  /// The rows replaced while such a closure runs, in order; empty when none is running (T5).
  @exclusivity(unchecked) var replacedInEdits: [RowKey] = []
  /// Which tables other writers have for themselves.
  let reservations: TableReservations
  /// The reads and writes so far, if they may have to be repeated.
  let trace: TransactionTrace?
  /// What a repeated read or write found to be different, if it is a transaction to be repeated.
  var contended: RetryQueue.Contended?
  /// Called after the commit, while the writer still holds the write lock (U5).
  var onCommit: (() -> Void)?
  /// Its identity, once it was asked for.
  @exclusivity(unchecked) private var madeIdentity: UUID?
  /// Whether it has been published as a version.
  var isCommitted = false

  init(_ base: StoreState, _ reservations: TableReservations, trace: TransactionTrace? = nil) {
    self.base = base
    self.reservations = reservations
    self.trace = trace
    version = base.version.next()
    tables = base.tables
    touched = base.tables.map { _ in [] }
  }

  /// What names it in cursors of pages: a later transaction gives the same row numbers if this one does not commit.
  var identity: UUID {
    if let madeIdentity { return madeIdentity }
    let identity = UUID()
    madeIdentity = identity
    return identity
  }

  package var catalog: Catalog { base.catalog }
  /// The tables as they are now, to read.
  var context: ReadContext {
    listPendingRows()
    return .unnumbered(catalog, tables)
  }
  /// The same to look objects up by their ids, for which pending rows need not be listed.
  var idContext: ReadContext { .unnumbered(catalog, tables) }

  /// Has the indexes list all rows, which they must before they are read (P2).
  func listPendingRows() {
    for table in tables.indices { listPendingRows(in: table) }
  }

  func listPendingRows(in table: Int) {
    if tables[table].hasPendingRows { tables[table].listPendingRows(catalog.entities[table]) }
  }

  /// Lists an existing row the first time that it is touched.
  func touch(_ row: UInt64, in table: Int) {
    guard row < base.tables[table].nextRow, let entry = tables[table].rows.floor(row) else { return }
    list(row, in: table, stampedBefore: entry.key.second)
  }

  /// Lists an existing row that is edited, if it is edited for the first time.
  ///
  /// - Parameter stamp: the row's stamp before the edit.
  func list(_ row: UInt64, in table: Int, stampedBefore stamp: UInt64) {
    if stamp < version.number { touched[table].append(row) } else { mayHaveReverted = true }
  }

  /// What the transaction had when a savepoint began.
  struct Savepoint {
    let tables: [TableState]
    let touched: [Int]
    let replacedInEdits: Int
  }

  var savepoint: Savepoint {
    Savepoint(tables: tables, touched: touched.map(\.count), replacedInEdits: replacedInEdits.count)
  }

  func rollBack(to savepoint: Savepoint) {
    let undone = tables
    tables = savepoint.tables
    // What is inserted next gets the places of what is undone.
    madeIdentity = nil
    // Rows that the savepoint listed are listed again, once, so that the next one need not do so (P3).
    for (table, undone) in undone.enumerated() where undone.firstPending > tables[table].firstPending {
      listPendingRows(in: table)
    }
    for (table, count) in savepoint.touched.enumerated() { touched[table].removeSubrange(count...) }
    replacedInEdits.removeSubrange(savepoint.replacedInEdits...)
  }
}

/// A row of one of the tables.
struct RowKey: Hashable {
  let table: Int
  let row: UInt64
}
