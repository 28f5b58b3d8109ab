import ArgumentParser
import Foundation
import LiveStore
import LiveStoreSQLite

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Shows the objects of an entity that meet a filter, and how they change while an app writes to the file.",
    discussion: """
      livestore-sqlite watch posts.db Post --where 'likeCount >= 10' --sort likeCount:desc --limit 20

      Each change is a line: + an insertion, - a deletion, ~ a modification with the old and the new values, > a move, with \
      the position before the object.
      """)

  @OptionGroup var options: FileOptions
  @OptionGroup var selection: QueryOptions

  @Option(help: "How often the file is looked at, in seconds.") var interval = 0.2

  func validate() throws {
    if !(0.01...3_600).contains(interval) {
      throw ValidationError("--interval is \(interval). It needs 0.01 to 3600.")
    }
  }

  func run() async throws {
    let copy = try FileCopy(options.url, options.open(), selection.entity)
    try copy.update()
    let properties = copy.properties
    let query = try selection.query(properties)
    let printer = RowPrinter(try selection.columns(properties))
    let changes = copy.store.changes(of: query)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while true {
          try await Task.sleep(for: .seconds(interval))
          try copy.update()
        }
      }
      group.addTask {
        for await change in changes {
          switch change {
          case .initial(let rows):
            try say(rows.enumerated().map { "+ \($0.offset) \(printer.line($0.element.object))" })
          case .update(_, let changes): try say(Self.lines(changes, printer))
          case .error(let error): throw error
          }
        }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  private static func lines(_ changes: ChangeSet<StoredObject>, _ printer: RowPrinter) -> [String] {
    let (previous, current) = (changes.previous, changes.current)
    return changes.deletions.map { "- \($0) \(printer.line(previous[$0].object))" }
      + changes.insertions.map { "+ \($0) \(printer.line(current[$0].object))" }
      + changes.modifications.map { change in
        let (old, new) = (previous[change.oldIndex].object, current[change.newIndex].object)
        return "~ \(change.newIndex) \(printer.line(old)) → \(printer.line(new))"
      } + changes.moves.map { "> \($0.from) → \($0.to) \(printer.line(current[$0.to].object))" }
  }

  /// Writes lines as soon as they are there, also into a pipe.
  private func say(_ lines: [String]) throws {
    try FileHandle.standardOutput.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
  }
}
