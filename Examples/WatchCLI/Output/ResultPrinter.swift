import LiveStore

/// Prints what the tool has been asked for, one version at a time.
package struct ResultPrinter {
  private var writer: OutputWriter
  private let mode: OutputMode
  private let isColored: Bool
  private var printedCount: Int?

  /// A printer in one of the forms of output.
  package init(writer: OutputWriter, mode: OutputMode, isColored: Bool) {
    (self.writer, self.mode, self.isColored) = (writer, mode, isColored)
  }

  /// Whether changes are printed one by one, and not only counted.
  package var needsLines: Bool {
    mode != .count
  }

  /// Prints the changes that led to a version; how many objects there are is `count`.
  package mutating func print(version: UInt64, count: Int, lines: [ChangeLine]) throws(Exit) {
    switch mode {
    case .changes:
      heading(version: version, count: count)
      for line in lines { writer.append(line: line.color.paint(line.text, isOn: isColored)) }
    case .json:
      for line in lines {
        var bytes: [UInt8] = []
        line.writeJSON(version: version, to: &bytes)
        writer.append(line: bytes)
      }
    case .count:
      if count != printedCount { writer.append(line: "\(count)") }
      printedCount = count
    }
    try writer.flush()
  }

  /// Prints a result instead of changes: its objects in order, or how many there are.
  package mutating func print(result: some Collection<Document>, version: UInt64) throws(Exit) {
    switch mode {
    case .changes:
      heading(version: version, count: result.count)
      for (index, document) in result.enumerated() {
        writer.append(line: ChangeLine.initial(document, at: index).text)
      }
    case .json:
      for document in result {
        var bytes: [UInt8] = []
        document.body.write(to: &bytes)
        writer.append(line: bytes)
      }
    case .count: writer.append(line: "\(result.count)")
    }
    try writer.flush()
  }

  private mutating func heading(version: UInt64, count: Int) {
    let text = "version \(version): \(count) object\(count == 1 ? "" : "s")"
    writer.append(line: TextColor.bold.paint(text, isOn: isColored))
  }
}
