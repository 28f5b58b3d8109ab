// Transactions.
//
// A transaction edits the trees of its own copy of the tables; edits copy nodes on demand. The touched rows
// are listed without a dictionary: an existing row is listed when it is first touched, which its stamp
// shows, and new rows are a range of numbers. A savepoint is a copy of the roots and the lengths of the
// lists.
//
// - **T1** A published state is never written to (S5 ensures it).
// - **T2** While a row is replaced, its index entries are removed before and inserted after. So whenever an
//   index is searched, every entry's row has the value that orders the entry.
// - **T3** A commit's delta names exactly the rows that differ between the two states; rows that got their
//   old values back are not in it. Without any there is no commit.
// - **T4** An optimistic transaction records all its reads and writes, in order. Its commit takes the write
//   lock and repeats them on the newest state, unless that is still the one that it started from: every
//   read must give the same result, by value, and every write is done again. A body depends only on what it
//   read, so the commit is what the body would have done on the newest state. That makes it serializable,
//   with predicates, absent objects and the reads of undone savepoints. Reads outside the transaction
//   (`results.snapshot`, `store.snapshot()`) are not recorded.
// - **T5** While the closure of an update runs, replaced rows are listed (`replacedInEdits`; a savepoint
//   that is undone shortens the list). If the updated row is among them, the update fails with
//   `nestedWrite`: its copy is older than the row's value.
// - **T6** A transaction cannot be copied, and its body gets it `inout`: code that lets it escape the body
//   does not compile (`Scripts/check-bodies.py`). It can be swapped with that of another store, which is an
//   error when the body returns.
// - **T7** Ignored properties are no part of a version, so no read of them is compared. A write that
//   replaces an object is repeated with the object that it replaced at first: an ignored property that the
//   write did not change takes the newest value, and one that both changed is a conflict. Types without
//   `==` are compared byte by byte, then part by part. Values that may be the same but cannot be compared,
//   such as closures, count as changed: that costs a repetition, not a write.
// - **T8** Transactions that were refused for one object, or over one query, run again one after another
//   (`RetryQueue`), and another transaction that has written that object waits with its commit behind them.
//   So of *n* side by side there are 2*n* - 1 runs and not *n*²/2. A queue holds no lock. A body may
//   suspend, so the write lock cannot be held for it (W1, W3), and each waits for a limited time: for each
//   transaction before it, twice as long as its own body took and 10 ms more. So a body that waits for a
//   transaction which waits behind it delays both and blocks neither. `write` knows nothing of the queues.
//   A transaction is in one queue at a time; none waits in one while it is the first in another.

import Foundation

/// The tables that a transaction edits, and which rows it has touched.
///
/// Edits copy tree nodes on demand, so the state that it started from never changes (T1). A row's stamp shows
/// whether this transaction has touched it, so each existing row is listed once.
///
/// Overlapping access to `tables` is checked for at run time, since user code runs while they are edited
/// (`<`, `hash(into:)`, getters, `deinit`). The other variables need no check: no such code runs in their
/// accesses.
package final class TransactionState {
  let base: StoreState
  let version: Version
  package var tables: [TableState]
  /// Existing row numbers that were changed, deleted or restored, by table.
  @exclusivity(unchecked) var touched: [[UInt64]]
  /// Whether a touched row may have its old value again: after a second edit, or after undo restored it.
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
  /// What a repeated read or write found to differ, in a transaction that may be repeated.
  var contended: RetryQueue.Contended?
  /// Called after the commit, while the writer still holds the write lock (U5).
  var onCommit: (() -> Void)?
  /// Its identity, once it was asked for.
  @exclusivity(unchecked) private var madeIdentity: UUID?
  /// When it began, if times are recorded.
  @exclusivity(unchecked) var start: RecordedTime?
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

  /// Its name in cursors of pages: a later transaction gives the same row numbers if this does not commit.
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

  /// Makes the indexes list all rows, as they must before they are read (P2).
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

  /// The state of the transaction when a savepoint began.
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
    // The next insertions get the places of the undone ones.
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
