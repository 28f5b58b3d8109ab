import Foundation
import LiveStore

/// Keeps a copy of an entity up to date, and prints the changes of a live query over it.
package struct WatchLoop: Sendable {
  private let copy: FileCopy
  private let selection: QueryOptions
  private let isJSON: Bool
  /// Returns when the file is to be looked at again; called with the processor's time since it was called last.
  private let pause: @Sendable (_ cost: Duration) async throws -> Void

  package init(
    _ copy: FileCopy, _ selection: QueryOptions, isJSON: Bool,
    pause: @escaping @Sendable (_ cost: Duration) async throws -> Void
  ) {
    (self.copy, self.selection, self.isJSON, self.pause) = (copy, selection, isJSON, pause)
  }

  /// How long to wait for the next look, so that watching takes a fifth of a processor at the most, however large the
  /// table and however busy its writer.
  package static func delay(interval: Duration, cost: Duration) -> Duration { max(interval, cost * 4) }

  /// The time that this process has had of a processor.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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
    while try await !copy.update() { try await pause(.zero) }
    let properties = await copy.properties
    let query = try selection.query(properties).query
    let version = await copy.version
    let changes = copy.store.changes(of: query)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var printer = try printer(properties)
        var known = properties
        for await change in changes {
          let properties = await copy.properties
          if properties != known {
            // They become known with the first object, and there may be more with later ones.
            _ = try selection.query(properties)
            (printer, known) = (try self.printer(properties), properties)
          }
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
        var last = Self.processorTime
        while true {
          let now = Self.processorTime
          try await pause(now - last)
          last = now
          try checkOutput()
          try await copy.update()
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  private func printer(_ properties: [String]) throws -> ChangePrinter {
    ChangePrinter(projection: Projection(columns: try selection.columns(properties)), isJSON: isJSON)
  }
}
