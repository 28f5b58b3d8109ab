package import Foundation
import LiveStore

/// Prints what the tool has been asked for, one version at a time.
package struct ResultPrinter {
  private var writer: OutputWriter
  /// What is printed.
  package let mode: OutputMode
  private let isColored: Bool
  var projection: Projection
  private let key: [[String]]
  private let chart: TableChart?
  /// The time to print with a version; nil prints none.
  private let clock: (@Sendable () -> Date)?
  private var printedCount: Int?
  /// The columns of separated values, if they are not given.
  private var found: FoundColumns?
  /// Columns that are printed before others are found, if none are given: also where no object has a value.
  var expected: [[String]] = []
  /// A row of separated values and where its values are, which are used again.
  private var (row, ranges): ([UInt8], [Range<Int>?]) = ([], [])
  /// Whether the titles of separated values have been printed.
  private var hasTitles = false
  private var hasPrinted = false

  /// How many objects are looked at for columns that are not given.
  private static let sample = 1_000

  /// A printer in one of the forms of output.
  ///
  /// - Parameters:
  ///   - columns: what is printed of an object; nil for everything.
  ///   - key: the paths that identify an object, which a table shows first.
  ///   - chart: what a table draws behind its columns.
  ///   - clock: the time to print with each version; nil prints none.
  package init(
    writer: OutputWriter, mode: OutputMode, isColored: Bool, columns: [Column]? = nil, key: [[String]] = [],
    chart: TableChart? = nil, clock: (@Sendable () -> Date)? = nil
  ) {
    (self.writer, self.mode, self.isColored) = (writer, mode, isColored)
    (projection, self.key, self.chart, self.clock) = (Projection(columns), key, chart, clock)
  }

  /// Prints the changes that led to a version; how many objects there are is `count`.
  ///
  /// With columns, modifications of other values are left out, and so are versions of which nothing is left.
  package mutating func print(
    version: UInt64, count: Int, lines: some Sequence<ChangeLine>
  ) throws(Exit) {
    let time = clock.map { Self.text(of: $0()) }
    switch mode {
    case .changes: try print(lines, version, count, time)
    case .json:
      let projection = projection
      for line in lines where try !line.isHidden(by: projection, version: version, time: time) {
        try json { line.writeJSON(version: version, time: time, projection, to: &$0) }
      }
    case .csv, .tsv: try print(rowsOf: lines, version: version, time: time)
    case .count:
      if count != printedCount { try writer.append(line: (time.map { "\($0) " } ?? "") + "\(count)") }
      printedCount = count
    case .table: break
    }
    hasPrinted = true
    try writer.flush()
  }

  /// Prints a result instead of changes: its objects in order, or how many there are.
  package mutating func print(result: some Collection<Document>, version: UInt64) throws(Exit) {
    let time = clock.map { Self.text(of: $0()) }
    switch mode {
    case .changes:
      if projection.template == nil {
        try writer.append(line: heading(version: version, count: result.count, time: time))
      }
      for (index, document) in result.enumerated() {
        try writer.append(line: text(ChangeLine(.initial, document, to: index), version, time))
      }
    case .json:
      let projection = projection
      for document in result { try json { projection.writeJSON(document, to: &$0) } }
    case .csv, .tsv:
      try printTitles(for: result, after: [], atMost: .max)
      for document in result { try printRow(of: document, after: []) }
    case .count: try writer.append(line: "\(result.count)")
    case .table: break
    }
    try writer.flush()
  }

  /// Prints a result as a table, with an empty line between two.
  package mutating func print(table rows: TableRows) throws(Exit) {
    if hasPrinted { try writer.append(line: "") }
    hasPrinted = true
    if let clock {
      let text = heading(version: rows.version, count: rows.count, time: Self.text(of: clock()))
      try writer.append(line: text)
    }
    try PlainTable.write(
      rows, columns: projection.columns, key: key, chart: chart, width: writer.terminalWidth,
      isColored: isColored, to: &writer)
    try writer.flush()
  }

  private func heading(version: UInt64, count: Int, time: String?) -> String {
    let objects = "version \(version): \(count) object\(count == 1 ? "" : "s")"
    return TextColor.bold.paint(time.map { "\($0) \(objects)" } ?? objects, isOn: isColored)
  }

  /// Prints lines to look at, and the heading before the first of them.
  private mutating func print(
    _ lines: some Sequence<ChangeLine>, _ version: UInt64, _ count: Int, _ time: String?
  ) throws(Exit) {
    let heading = heading(version: version, count: count, time: time)
    var isHeaded = projection.template != nil
    if !isHeaded, projection.changes == nil, projection.columns == nil || !hasPrinted {
      try writer.append(line: heading)
      isHeaded = true
    }
    for line in lines where try !line.isHidden(by: projection, version: version, time: time) {
      if !isHeaded { try writer.append(line: heading) }
      isHeaded = true
      try writer.append(line: line.look.color.paint(text(line, version, time), isOn: isColored))
    }
  }

  private func text(_ line: ChangeLine, _ version: UInt64, _ time: String?) -> String {
    projection.template?.text(line, version: version, time: time) ?? line.text(projection)
  }

  /// Adds a line of JSON. On a terminal, what could steer it is written as escapes, which read as the same: only
  /// strings can hold such characters.
  private mutating func json(_ write: (inout [UInt8]) -> Void) throws(Exit) {
    var bytes: [UInt8] = []
    write(&bytes)
    if writer.isTerminal, bytes.contains(where: { $0 >= 0x7F }) {
      bytes = Array(String(decoding: bytes, as: UTF8.self).escapingInvisibles.utf8)
    }
    try writer.append(line: bytes)
  }

  /// The time in UTC, to the millisecond.
  static func text(of time: Date) -> String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

// MARK: Rows of separated values

extension ResultPrinter {
  /// Prints a row for each change: what happened, and the object's values, which for a deletion are the last ones.
  private mutating func print(rowsOf lines: some Sequence<ChangeLine>, version: UInt64, time: String?)
    throws(Exit)
  {
    let areKnown = projection.columns != nil || !expected.isEmpty
    if !hasTitles, areKnown || lines.contains(where: { _ in true }) {
      let titles = (time == nil ? [] : ["time"]) + ["version", "change", "oldIndex", "newIndex"]
      let documents = lines.prefix(Self.sample).map(\.document)
      try printTitles(for: documents, after: titles, atMost: expected.count + Self.sample)
    }
    for line in lines where try !line.isHidden(by: projection, version: version, time: time) {
      let stamp = time.map { [$0] } ?? []
      let indices = [line.oldIndex, line.newIndex].map { $0.map(String.init) ?? "" }
      try printRow(of: line.document, after: stamp + ["\(version)", line.change.rawValue] + indices)
    }
  }

  /// Prints the titles. Columns that are not given are those of the objects.
  private mutating func printTitles(
    for documents: some Collection<Document>, after titles: [String], atMost limit: Int
  ) throws(Exit) {
    if projection.columns == nil {
      var columns = FoundColumns(limit: limit)
      for path in expected { columns.add(path) }
      for document in documents { columns.find(in: document, key: key) }
      columns.removeNullObjects()
      found = columns
      projection = Projection(columns)
    }
    hasTitles = true
    // Those of an object may be called as the first ones, and the path a.b as the name "a.b".
    let texts = RowLayout.distinct(titles + (projection.columns ?? []).map(\.title))
    guard let separation = mode.separation, !texts.isEmpty else { return }
    row.removeAll()
    for (column, text) in texts.enumerated() {
      begin(column, separation)
      let start = row.count
      row += separation.field(text).utf8
      if writer.isTerminal { escapeRow(from: start) }
    }
    try endRow(of: texts.count, separation)
  }

  private mutating func printRow(of document: Document, after fields: [String]) throws(Exit) {
    guard let separation = mode.separation else { return }
    row.removeAll(keepingCapacity: row.count < 1 << 20)
    for (column, field) in fields.enumerated() {
      begin(column, separation)
      row += field.utf8
    }
    document.withObject { object, spellings in
      if found == nil {
        ranges = projection.ranges(of: object)
      } else {
        found?.getRanges(of: object, &ranges)
      }
      for (column, range) in ranges.enumerated() {
        begin(fields.count + column, separation)
        let start = row.count
        separation.append(range, of: object, spellings, to: &row)
        if writer.isTerminal { escapeRow(from: start) }
      }
    }
    try endRow(of: fields.count + ranges.count, separation)
  }

  private mutating func begin(_ column: Int, _ separation: SeparatedValues) {
    if column > 0 { row.append(separation.separator) }
  }

  /// Writes as escapes what could steer a terminal.
  private mutating func escapeRow(from start: Int) {
    let text = String(decoding: row[start...], as: UTF8.self)
    row.replaceSubrange(start..., with: text.escapingInvisibles.utf8)
  }

  private mutating func endRow(of columns: Int, _ separation: SeparatedValues) throws(Exit) {
    // A line without anything is no row for many readers.
    if row.isEmpty, columns == 1 { row += separation.field("").utf8 }
    try writer.append(line: row)
  }
}
