package import LiveStore

/// Prints the changes of a live query as they come, until the output fails.
package actor Reporter {
  private var printer: ResultPrinter
  /// Why nothing is printed any more.
  package private(set) var failure: Exit?
  /// How many objects there are.
  package private(set) var count = 0

  /// A reporter with its output.
  package init(_ printer: ResultPrinter) {
    self.printer = printer
  }

  /// Prints what there is now, and what changes from then on, as long as the token is kept.
  ///
  /// - Parameter document: an object as it is printed.
  package func report<Element: Entity>(
    _ query: Query<Element>, of store: Store, as document: @escaping @Sendable (Element) -> Document
  ) -> NotificationToken {
    store.observe(query) { change in
      self.print(change, as: document)
    }
  }

  private func print<Element: Entity>(
    _ change: CollectionChange<Element>, as document: (Element) -> Document
  ) {
    guard failure == nil else { return }
    do throws(Exit) {
      switch change {
      case .initial(let results), .update(let results, _):
        count = results.count
        let lines = printer.needsLines ? ChangeLine.lines(of: change, document) : []
        try printer.print(version: results.version.number, count: count, lines: lines)
      case .error(let error):
        throw Exit(.software, error.message)
      }
    } catch {
      failure = error
    }
  }

  /// Prints a result by itself.
  package func print(_ results: Results<Document>) throws(Exit) {
    count = results.count
    try printer.print(result: results, version: results.version.number)
  }
}
