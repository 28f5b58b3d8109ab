// Drawing.
extension TableScreen {
  /// The lines of the screen, exactly as many as it has; only the rows in view are read.
  package mutating func lines(_ content: Content) -> [StyledLine] {
    var lines: [StyledLine] = []
    if hasSummary { lines.append(single(content.summary, .bold)) }
    count = content.rows.count
    cursor.find(in: content.rows, page: rowsPerPage)
    let footer = object == nil ? table(content, &lines) : object(content, &lines)
    let height = size.rows - (hasFooter ? 1 : 0)
    while lines.count < height { lines.append(StyledLine()) }
    let last = finder.typed.map(typed) ?? finder.message.map { single($0, .bold) }
    if hasFooter { lines.append(single(footer, .dim)) }
    if let last { lines[lines.count - 1] = last }
    return lines
  }

  /// The last screen as text, without the footer and the empty lines above it.
  package mutating func keptLines(_ content: Content) -> [String] {
    finder = RowFinder()
    let lines = lines(content).dropLast(hasFooter ? 1 : 0).map { $0.text.withoutTrailingSpaces }
    return Array(lines.prefix(1 + (lines.lastIndex { !$0.isEmpty } ?? -1)))
  }

  private mutating func table(_ content: Content, _ lines: inout [StyledLine]) -> String {
    let shown = cursor.first.row..<min(count, cursor.first.row + rowsPerPage)
    let documents = shown.map { content.rows[$0] }
    cursor.take(documents)
    layout.find(in: documents, key: key)
    layout.leaveRoom(for: content.rows.order)
    let cells = documents.map(layout.cells)
    layout.resetChart()
    for (document, cells) in zip(documents, cells) { layout.measure(document, cells) }
    let width = size.columns - margin
    let columns = cursor.columns(of: layout, in: width, key: key)
    if hasTitles { lines.append(titles(columns, content.rows.order)) }
    for (document, cells) in zip(documents, cells) {
      var line = line(of: document, cells, columns, content)
      if let text = layout.chart(of: document, in: width) {
        line.skip(TableLayout.gap)
        line.append(text, width: text.displayWidth, .plain)
      }
      line.isCurrent =
        lines.count - (hasSummary ? 1 : 0) - (hasTitles ? 1 : 0) == cursor.row - cursor.first.row
      lines.append(line)
    }
    return footer(shown, columns.map(\.column))
  }

  private mutating func object(_ content: Content, _ lines: inout [StyledLine]) -> String {
    guard object?.document != nil || count > 0, var view = object else { return "" }
    let chosen = view.document ?? content.rows[cursor.row]
    let texts = view.lines(of: chosen, in: content.rows, width: size.columns, page: rowsPerPage)
    object = view
    let state = view.isInResult ? "" : ", not in the result any more"
    if hasTitles { lines.append(single("object \(chosen.id)\(state)", .title)) }
    lines += texts.map { single($0, .plain) }
    let place =
      texts.count < view.count ? "lines \(view.first + 1)-\(view.first + texts.count) of \(view.count)  " : ""
    return place + "Escape goes back, arrows and page keys scroll"
  }

  private func single(_ text: String, _ style: StyledLine.Style) -> StyledLine {
    var line = StyledLine()
    let text = TableCell.line(text, limit: size.columns + 1)
    let width = min(size.columns, text.displayWidth)
    line.append(text.fitted(to: width), width: width, style)
    return line
  }

  /// The line in which a text is typed, with a cursor of its own.
  private func typed(_ text: String) -> StyledLine {
    var line = StyledLine()
    let (text, room) = ("/" + TableCell.line(text), size.columns - 1)
    let shown = text.displayWidth > room ? text.fittedEnd(to: room) : text
    line.append(shown, width: shown.displayWidth, .plain)
    line.append(" ", width: 1, .currentTitle)
    return line
  }

  private func titles(_ columns: [TableLayout.Place], _ order: SortKey?) -> StyledLine {
    var line = StyledLine()
    line.skip(margin)
    for (index, place) in columns.enumerated() {
      if index > 0 { line.skip(TableLayout.gap) }
      let style: StyledLine.Style = place.column == cursor.column ? .currentTitle : .title
      line.append(layout.title(at: place, order: order), width: place.width, style)
    }
    return line
  }

  private func line(
    of document: Document, _ cells: [TableCell], _ columns: [TableLayout.Place], _ content: Content
  ) -> StyledLine {
    let old = content.previous?.row(like: document)
    let isInserted = content.previous != nil && old == nil
    let isModified = old.map { $0 != document } ?? false
    var line = StyledLine()
    if margin > 0, isInserted || isModified {
      line.append(isInserted ? "+" : "~", width: 1, isInserted ? .inserted : .changed)
      line.skip(margin - 1)
    } else {
      line.skip(margin)
    }
    for (index, place) in columns.enumerated() {
      if index > 0 { line.skip(TableLayout.gap) }
      let path = layout.columns[place.column].path
      let isChanged = isModified && old?.value(at: path) != document.value(at: path)
      let style: StyledLine.Style = isChanged ? .changed : isInserted ? .inserted : .plain
      line.append(layout.text(cells[place.column], at: place), width: place.width, style)
    }
    return line
  }

  private func footer(_ shown: Range<Int>, _ columns: [Int]) -> String {
    var parts: [String] = []
    if shown.count < count { parts.append("rows \(shown.lowerBound + 1)-\(shown.upperBound) of \(count)") }
    if columns.count < layout.columns.count, let last = columns.last {
      parts.append("columns \(cursor.first.column + 1)-\(last + 1) of \(layout.columns.count)")
    }
    return (parts + ["q quit, / find, s sort, Enter object, G last"])
      .joined(separator: "  ")
  }
}
