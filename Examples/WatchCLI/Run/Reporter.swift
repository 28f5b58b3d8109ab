package import LiveStore
import Synchronization

/// Prints the changes of a live query as they come, until the output fails.
///
/// State: the printer, the table and the observation, guarded by the actor; `progress`, which other tasks read without waiting for the output.
package actor Reporter {
  private var printer: ResultPrinter
  private let display: TableDisplay?
  /// A result that is to be printed as a table.
  private var table: TableRows?
  /// What a display shows, and in which order that was chosen there.
  private var observed: (token: NotificationToken, order: SortKey?)?
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

  /// Prints the result, and its changes from then on, as long as the token is held; a display may choose another order.
  ///
  /// - Parameter mode: whether versions that are committed while others are printed are printed as one, or separately.
  package func report<Element: ShownEntity>(
    _ query: Query<Element>, of store: Store, mode: DeliveryMode
  ) -> NotificationToken {
    let token = store.observe(query, mode: mode) { change in self.print(change) }
    if let display {
      observed = (token, nil)
      display.onOrder { Task { await self.follow(query, of: store, mode: mode) } }
    }
    return token
  }

  /// Observes a query in the order that the display has now, in the place of the order before.
  private func follow<Element: ShownEntity>(_ query: Query<Element>, of store: Store, mode: DeliveryMode) {
    guard let display, let observed, display.order != observed.order else { return }
    let order = display.order
    guard let query = order.map({ Element.sorted(query, by: $0) }) ?? query else { return }
    observed.token.invalidate()
    self.observed = (store.observe(query, mode: mode) { change in self.print(change, order) }, order)
  }

  private func print<Element: ShownEntity>(_ change: CollectionChange<Element>, _ order: SortKey? = nil) {
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
