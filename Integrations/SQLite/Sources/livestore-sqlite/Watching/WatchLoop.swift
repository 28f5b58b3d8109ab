import LiveStore

/// Keeps a copy of an entity up to date, and prints the changes of a live query over it.
package struct WatchLoop: Sendable {
  private let copy: FileCopy
  private let selection: QueryOptions
  private let isJSON: Bool
  /// Returns when the file is to be looked at again.
  private let pause: @Sendable () async throws -> Void

  package init(
    _ copy: FileCopy, _ selection: QueryOptions, isJSON: Bool,
    pause: @escaping @Sendable () async throws -> Void
  ) {
    (self.copy, self.selection, self.isJSON, self.pause) = (copy, selection, isJSON, pause)
  }

  /// Runs until the file is gone, the task is cancelled, or the output throws.
  ///
  /// - Parameters:
  ///   - checkOutput: called before each look at the file; throws to end.
  ///   - print: called with the lines of each event.
  package func run(
    checkOutput: @escaping @Sendable () throws -> Void = {},
    print: @escaping @Sendable (any Sequence<String>) throws -> Void
  ) async throws {
    while try await !copy.update() { try await pause() }
    let properties = await copy.properties
    let query = try selection.query(properties).query
    let printer = ChangePrinter(
      projection: Projection(columns: try selection.columns(properties)), isJSON: isJSON)
    let version = await copy.version
    let changes = copy.store.changes(of: query)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await change in changes {
          switch change {
          case .initial(let results):
            if !isJSON {
              try print(["version \(version): \(results.count) \(results.count == 1 ? "object" : "objects")"])
            }
            try print(printer.lines(initial: results))
          case .update(_, let changes): try print(printer.lines(changes))
          case .error(let error): throw error
          }
        }
      }
      group.addTask {
        while true {
          try await pause()
          try checkOutput()
          try await copy.update()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
