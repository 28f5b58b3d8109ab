import ArgumentParser
import LiveStore

/// How objects are printed.
enum RowFormat: String, ExpressibleByArgument, CaseIterable {
  /// A table for people.
  case table
  /// An object of JSON a line.
  case lines
  /// An array of JSON.
  case json
  /// Comma-separated values with a line of names.
  case csv
}

/// Prints objects one by one.
struct RowPrinter {
  private let projection: Projection
  private let format: RowFormat
  private let writer: OutputWriter
  private var table: TablePrinter
  private(set) var count = 0

  init(_ projection: Projection, _ format: RowFormat, _ writer: OutputWriter) throws {
    (self.projection, self.format, self.writer) = (projection, format, writer)
    table = TablePrinter(projection.columns, writer)
    if format == .csv { try writer.append(SeparatedValues.row(projection.columns.map { .string($0.title) })) }
  }

  mutating func append(_ object: StoredObject) throws {
    switch format {
    case .table: try table.append(projection.values(object))
    case .lines: try writer.append("\(projection.json(object))")
    case .json:
      // The comma stands before all but the first, since the last is not known.
      try writer.append("\(count == 0 ? "[" : ",")\(projection.json(object))")
    case .csv: try writer.append(SeparatedValues.row(projection.values(object)))
    }
    count += 1
  }

  mutating func end() throws {
    switch format {
    case .table:
      try table.end()
      if count == 0, writer.isTerminal { OutputWriter.report("No objects.") }
    case .json: try writer.append(count == 0 ? "[]" : "]")
    case .lines, .csv: break
    }
    try writer.flush()
  }
}
