package import LiveStore
import Synchronization

/// Prints the changes of a live query as they come, until the output fails.
///
/// State: the printer and the table, guarded by the actor; `progress`, which other tasks read without waiting for the
/// output.
package actor Reporter {
  private var printer: ResultPrinter
  private let display: TableDisplay?
  /// A result that is to be printed as a table.
  private var table: TableRows?
  private let progress = Mutex(Progress())

  private struct Progress {
    var failure: Exit?
    var count = 0
  }

  /// Why nothing is printed any more.
  package nonisolated var failure: Exit? {
    progress.withLock { $0.failure }
  }

  /// How many objects the result has.
  package nonisolated var count: Int {
    progress.withLock { $0.count }
  }

  /// A reporter with its output: a display, or else a printer.
  package init(_ printer: ResultPrinter, display: TableDisplay? = nil) {
    (self.printer, self.display) = (printer, display)
  }

  /// Prints the result, and its changes from then on, as long as the token is held, or until another order is
  /// chosen in the display.
  ///
  /// - Parameter mode: whether versions that are committed while others are printed are printed as one, or separately.
  package func report(_ query: Query<Document>, of store: Store, mode: DeliveryMode) -> NotificationToken {
    let order = display?.order
    let sorted = order.map { query.reordered(by: $0) } ?? query
    let token = store.observe(sorted, mode: mode) { self.print($0, order) }
    display?.hold(token) { Task { _ = await self.report(query, of: store, mode: mode) } }
    return token
  }

  private func print(_ change: CollectionChange<Document>, _ order: SortKey?) {
    guard failure == nil else { return }
    do throws(Exit) {
      switch change {
      case .initial(let results), .update(let results, _):
        progress.withLock { $0.count = results.count }
        if let display {
          display.show(TableRows(results, order: order))
        } else if printer.mode == .table {
          table = TableRows(results)
        } else {
          try printer.print(
            version: results.version.number, count: results.count, lines: ChangeLine.lines(of: change))
        }
      case .error(let error):
        throw Exit(error)
      }
    } catch {
      progress.withLock { $0.failure = error }
    }
  }

  /// Prints the newest result as a table, if there is one that has not been printed.
  package func printTable() throws(Exit) {
    guard let rows = table else { return }
    table = nil
    try printer.print(table: rows)
  }

  /// Prints a result by itself.
  package func print(_ results: Results<Document>) throws(Exit) {
    if let error = results.error { throw Exit(error) }
    progress.withLock { $0.count = results.count }
    if printer.mode == .table {
      try printer.print(table: TableRows(results))
    } else {
      try printer.print(result: results, version: results.version.number)
    }
  }
}
