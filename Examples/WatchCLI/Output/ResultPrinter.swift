import LiveStore

/// Prints what the tool has been asked for, one version at a time.
package struct ResultPrinter {
  private var writer: OutputWriter
  /// What is printed.
  package let mode: OutputMode
  private let isColored: Bool
  private let columns: [Column]?
  private let key: [[String]]
  private var printedCount: Int?
  private var hasPrinted = false

  /// A printer in one of the forms of output.
  ///
  /// - Parameters:
  ///   - columns: what is printed of an object; nil for everything.
  ///   - key: the paths that identify an object, which a table shows first.
  package init(
    writer: OutputWriter, mode: OutputMode, isColored: Bool, columns: [Column]? = nil, key: [[String]] = []
  ) {
    (self.writer, self.mode, self.isColored) = (writer, mode, isColored)
    (self.columns, self.key) = (columns, key)
  }

  /// Prints the changes that led to a version; how many objects there are is `count`.
  package mutating func print(
    version: UInt64, count: Int, lines: some Sequence<ChangeLine>
  ) throws(Exit) {
    switch mode {
    case .changes:
      try heading(version: version, count: count)
      for line in lines { try writer.append(line: line.color.paint(line.text, isOn: isColored)) }
    case .json:
      for line in lines { try json { line.writeJSON(version: version, to: &$0) } }
    case .count:
      if count != printedCount { try writer.append(line: "\(count)") }
      printedCount = count
    case .table: break
    }
    try writer.flush()
  }

  /// Prints a result instead of changes: its objects in order, or how many there are.
  package mutating func print(result: some Collection<Document>, version: UInt64) throws(Exit) {
    switch mode {
    case .changes:
      try heading(version: version, count: result.count)
      for (index, document) in result.enumerated() {
        try writer.append(line: ChangeLine.initial(document, at: index).text)
      }
    case .json:
      for document in result { try json { document.body.write(to: &$0) } }
    case .count: try writer.append(line: "\(result.count)")
    case .table: break
    }
    try writer.flush()
  }

  /// Prints a result as a table, with an empty line between two.
  package mutating func print(table rows: TableRows) throws(Exit) {
    if hasPrinted { try writer.append(line: "") }
    hasPrinted = true
    try PlainTable.write(
      rows, columns: columns, key: key, width: writer.terminalWidth, isColored: isColored, to: &writer)
    try writer.flush()
  }

  private mutating func heading(version: UInt64, count: Int) throws(Exit) {
    let text = "version \(version): \(count) object\(count == 1 ? "" : "s")"
    try writer.append(line: TextColor.bold.paint(text, isOn: isColored))
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
}
