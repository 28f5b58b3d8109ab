import ArgumentParser
import LiveStore
import LiveStoreSQLite

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows the entities of a file with their rows and properties, its version, and its size.",
    usage: "livestore-sqlite inspect FILE [--json] [options]",
    discussion: """
      Kinds of values are those that the file tells apart: a date is a text that reads as one, a link the kind of its id. \
      The log has what was written and not yet moved to the file itself; it counts as durable.

      Example: livestore-sqlite inspect posts.db
      """)

  @OptionGroup var options: FileOptions

  @Flag(help: "Print an object of JSON.") var json = false

  func run() throws {
    let meter = ProgressMeter.onTerminal(lastPhase: .reading)
    defer { meter?.finish() }
    let writer = OutputWriter(replacing: meter)
    let reader = try options.open()
    let size = reader.size
    try reader.read(progress: meter?.update) { file in
      let inspection = try Inspection(file, size: size)
      if json { try writer.append("\(inspection.json)") } else { try inspection.print(to: writer) }
    }
    try writer.flush()
  }
}
