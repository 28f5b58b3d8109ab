package import LiveStore
import Synchronization

/// Prints the changes of a live query as they come, until the output fails.
///
/// State: the printer, guarded by the actor; `progress`, which other tasks read without waiting for the output.
package actor Reporter {
  private var printer: ResultPrinter
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

  /// A reporter with its output.
  package init(_ printer: ResultPrinter) {
    self.printer = printer
  }

  /// Prints the result, and its changes from then on, as long as the token is held.
  ///
  /// - Parameters:
  ///   - mode: whether versions that are committed while others are printed are printed as one, or separately.
  ///   - document: the printed form of an object.
  package func report<Element: Entity>(
    _ query: Query<Element>, of store: Store, mode: DeliveryMode,
    as document: @escaping @Sendable (Element) -> Document
  ) -> NotificationToken {
    store.observe(query, mode: mode) { change in
      self.print(change, as: document)
    }
  }

  private func print<Element: Entity>(
    _ change: CollectionChange<Element>, as document: @escaping (Element) -> Document
  ) {
    guard failure == nil else { return }
    do throws(Exit) {
      switch change {
      case .initial(let results), .update(let results, _):
        progress.withLock { $0.count = results.count }
        try printer.print(
          version: results.version.number, count: results.count, lines: ChangeLine.lines(of: change, document)
        )
      case .error(let error):
        throw Exit(.software, error.message)
      }
    } catch {
      progress.withLock { $0.failure = error }
    }
  }

  /// Prints a result by itself.
  package func print(_ results: Results<Document>) throws(Exit) {
    progress.withLock { $0.count = results.count }
    try printer.print(result: results, version: results.version.number)
  }
}
