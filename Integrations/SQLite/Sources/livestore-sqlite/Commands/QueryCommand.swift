import ArgumentParser
import LiveStore
import LiveStoreSQLite

struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Prints the objects of an entity that meet a filter.",
    usage: "livestore-sqlite query FILE [ENTITY] [--where FILTER] [options]",
    discussion: """
      Without --sort they come in the order in which they were inserted, as soon as they are read. A table that is wider \
      than the terminal is cut; other formats, and tables in a file or pipe, are not.

      Example: livestore-sqlite query posts.db Post --where 'likeCount >= 10'
      """)

  @OptionGroup var options: FileOptions
  @OptionGroup var selection: QueryOptions

  @Option(help: "How objects are printed; lines has an object of JSON a line.")
  var format = RowFormat.table

  func run() throws {
    let meter = ProgressMeter.onTerminal(lastPhase: .reading)
    defer { meter?.finish() }
    let writer = OutputWriter(replacing: meter)
    try options.open().read(progress: meter?.update) { file in
      let entity = try file.entity(selection.entity)
      let properties = file.properties(entity)
      let query = try selection.query(properties)
      var printer = try RowPrinter(Projection(columns: selection.columns(properties)), format, writer)
      file.beginReading([entity])
      try query.run(entity, in: file) { try printer.append($0) }
      // What is printed about the objects, and nothing else, is on the terminal then.
      meter?.finish()
      try printer.end()
      if properties.isEmpty, selection.namesProperties {
        OutputWriter.report("\(entity) has never had an object: which properties it has is not known.")
      }
    }
  }
}
