package import LiveStore
import Synchronization

/// Prints the changes of a live query when it is asked to, until the output fails.
///
/// State: `state` is guarded by its mutex, which is held while something is printed; `progress` by its own, so that it is
/// read without waiting for the output.
package final class Reporter: Sendable {
  private typealias Changes = LiveChanges<CollectionChange<Document>>.Iterator

  private struct State {
    var printer: ResultPrinter
    /// A result that is to be printed as a table.
    var table: TableRows?
    /// Begins to follow what is printed, in an order that is chosen in the display.
    var follow: ((SortKey?) -> Changes)?
    /// What is followed, in the order.
    var changes: Changes?
    var order: SortKey?
  }

  private struct Progress {
    var failure: Exit?
    var count = 0
  }

  private let state: Mutex<State>
  private let display: TableDisplay?
  private let progress = Mutex(Progress())

  /// Why nothing is printed any more.
  package var failure: Exit? {
    progress.withLock { $0.failure }
  }

  /// How many objects the result has.
  package var count: Int {
    progress.withLock { $0.count }
  }

  /// A reporter with its output: a display, or else a printer.
  package init(_ printer: sending ResultPrinter, display: TableDisplay? = nil) {
    state = Mutex(State(printer: printer))
    self.display = display
  }

  /// Columns of separated values are printed also where no object has a value.
  func expect(_ columns: [[String]]) { state.withLock { $0.printer.expected = columns } }

  /// From now on, `update` prints the result of a query and its changes.
  ///
  /// - Parameter mode: whether versions that are committed before it is asked again are printed as one, or separately.
  package func follow(_ query: Query<Document>, of store: Store, mode: DeliveryMode) {
    state.withLock { state in
      state.follow = { order in
        store.changes(of: order.map { query.reordered(by: $0) } ?? query, mode: mode).makeAsyncIterator()
      }
    }
    display?.onOrder { Task { self.update() } }
  }

  /// Prints what has changed since it was last called, on the calling thread.
  package func update() {
    state.withLock { state in
      guard failure == nil else { return }
      let order = display?.order
      if state.changes == nil || order != state.order {
        (state.changes, state.order) = (state.follow?(order), order)
      }
      do throws(Exit) {
        while let change = state.changes?.nextIfReady() { try print(change, &state) }
      } catch {
        progress.withLock { $0.failure = error }
      }
    }
  }

  private func print(_ change: CollectionChange<Document>, _ state: inout State) throws(Exit) {
    switch change {
    case .initial(let results), .update(let results, _):
      progress.withLock { $0.count = results.count }
      if let display {
        display.show(TableRows(results, order: state.order))
      } else if state.printer.mode == .table {
        state.table = TableRows(results)
      } else {
        try state.printer.print(
          version: results.version.number, count: results.count, lines: ChangeLine.lines(of: change))
      }
    case .error(let error):
      throw Exit(error)
    }
  }

  /// Prints the newest result as a table, if there is one that has not been printed.
  package func printTable() throws(Exit) {
    try state.withLock { state throws(Exit) in
      guard let rows = state.table.take() else { return }
      try state.printer.print(table: rows)
    }
  }

  /// Prints a result by itself.
  package func print(_ results: Results<Document>) throws(Exit) {
    if let error = results.error { throw Exit(error) }
    progress.withLock { $0.count = results.count }
    try state.withLock { state throws(Exit) in
      if state.printer.mode == .table {
        try state.printer.print(table: TableRows(results))
      } else {
        try state.printer.print(result: results, version: results.version.number)
      }
    }
  }
}
