import LiveStore

/// What a row of the input is.
enum RowOutcome {
  /// The text of its object, valid while it is passed, and how numbers were written in it.
  case object(JSONText, NumberSpellings)
  /// The text of the members that decide whether the object is needed.
  case decision(JSONText)
  /// The names of the columns.
  case titles
  case mistake(String)
  /// No names can be read, so that nothing is known about what follows.
  case badTitles(String)
}

/// What follows a row.
enum RowAnswer {
  case next, stop
  /// The whole object of the row is needed.
  case object
}

/// Makes objects of the rows of one file.
///
/// A row of CSV may have newlines in quotation marks. Where such a field does not end, or something follows its end, the row is
/// bad, and the lines after its first are read again, each as a row of its own: a stray quotation mark affects no
/// other row, and each byte is read twice at the most.
struct RowReader {
  private let format: InputFormat
  private let rules: RowRules
  private var fields = RowFields()
  private var writer = RowWriter()
  /// The layout of the columns; nil before the first row, and in logfmt.
  private var layout: RowLayout?
  private var columnCount = 0
  /// How many fields the longest row has.
  private var width = 0
  /// The layouts of lines of logfmt, by their names.
  private var layouts = LayoutCache()
  /// The members that decide whether an object is needed; nil if all objects are.
  private let decisive: Set<ComparedText>?
  /// Whether the receiver decides by those members, before it is given the object.
  var asks = false
  /// The byte that ends lines.
  var newline: UInt8 = 0x0A
  /// The lines of a row that goes on, and the number of the first.
  private var (pending, pendingLine): ([UInt8], Int) = ([], 0)

  /// How long a row with newlines may be.
  private static let longestRow = 1 << 24

  /// At the beginning of a file.
  ///
  /// - Parameter decisive: the members that decide whether an object is needed; nil if all objects are.
  init(_ format: InputFormat, _ rules: RowRules, decisive: Set<ComparedText>? = nil) {
    (self.format, self.rules, self.decisive) = (format, rules, decisive)
  }

  /// Reads a line, and passes on what is complete; a row that goes on in the next line is kept.
  ///
  /// - Parameters:
  ///   - number: the number of the line.
  ///   - receive: called with the number of the first line of a row, and what it is.
  /// - Returns: whether to go on.
  /// - Complexity: O(length of the line), on average over lines.
  mutating func read(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ receive: (Int, RowOutcome) -> RowAnswer
  ) -> Bool {
    if pending.isEmpty {
      if isBlank(line) { return true }
      let isComment = !rules.comment.isEmpty && line.starts(with: rules.comment)
      if isComment, format.hasTitles, layout == nil { return true }
      return readRow(line, number, receive) { reader in
        reader.pending.append(contentsOf: line)
        reader.pendingLine = number
      }
    }
    pending.append(newline)
    pending.append(contentsOf: line)
    let row = pending
    return row.withUnsafeBytes { row in
      let isComplete: Bool
      do throws(RowMistake) {
        isComplete = try fields.readCSV(row, rules.delimiter)
      } catch {
        return readLines(of: row, error.reason, receive)
      }
      guard isComplete else {
        return row.count < Self.longestRow || readLines(of: row, openField(row), receive)
      }
      pending.removeAll(keepingCapacity: pending.count < 1 << 20)
      return pass(row, pendingLine, receive)
    }
  }

  /// Reads what is left at the end of the file.
  mutating func finish(_ receive: (Int, RowOutcome) -> RowAnswer) {
    if pending.isEmpty { return }
    let row = pending
    _ = row.withUnsafeBytes { readLines(of: $0, openField($0), receive) }
  }

  /// Why a row is bad of which a field does not end.
  private func openField(_ row: UnsafeRawBufferPointer) -> String {
    let before = row.prefix(fields.openPlace).count { $0 == newline }
    let lines = row.count { $0 == newline } - before
    return
      "field \(fields.count + 1): the quotation mark at line \(pendingLine + before) is not closed in the "
      + "\(lines) line\(lines == 1 ? "" : "s") that follow\(lines == 1 ? "s" : "")"
  }

  /// Passes on that a row of several lines is bad, and reads those after its first, one by one.
  private mutating func readLines(
    of row: UnsafeRawBufferPointer, _ reason: String, _ receive: (Int, RowOutcome) -> RowAnswer
  ) -> Bool {
    pending = []
    var number = pendingLine
    guard receive(number, hasLayout ? .mistake(reason) : .badTitles(reason)) != .stop else { return false }
    var rest = row.firstIndex(of: newline).map { row[($0 + 1)...] } ?? row[row.count...]
    while !rest.isEmpty {
      number += 1
      let line = rest.prefix { $0 != newline }
      rest = rest[line.endIndex...].dropFirst()
      let bytes = UnsafeRawBufferPointer(rebasing: line)
      if isBlank(bytes) { continue }
      var isOpen = false
      guard readRow(bytes, number, receive, onOpen: { _ in isOpen = true }) else { return false }
      if isOpen {
        let reason = "field \(fields.count + 1): its quotation mark is not closed in the line"
        guard receive(number, .mistake(reason)) != .stop else { return false }
      }
    }
    return true
  }

  /// Whether a line is no row: it has nothing but blanks, and no tabs that separate fields.
  private func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    let isTabBlank = format == .logfmt || format == .csv && rules.delimiter != 0x09
    return line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x0A || $0 == 0x09 && isTabBlank }
  }

  /// The paths of the columns; none in logfmt.
  var columns: [[String]] { rules.hasTitles ? layout?.paths ?? [] : Array(layout?.paths.prefix(width) ?? []) }

  private var hasLayout: Bool { layout != nil || !rules.hasTitles }

  /// Reads a row that begins with a line.
  ///
  /// - Parameter onOpen: called if the row goes on in the next line.
  private mutating func readRow(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ receive: (Int, RowOutcome) -> RowAnswer,
    onOpen: (inout RowReader) -> Void
  ) -> Bool {
    fields.removeAll()
    do throws(RowMistake) {
      switch format {
      case .tsv: fields.readTSV(line)
      case .logfmt, .json: try fields.readLogfmt(line)
      case .csv:
        guard try fields.readCSV(line, rules.delimiter) else {
          onOpen(&self)
          return true
        }
      }
    } catch {
      return mistake(error, number, receive)
    }
    return pass(line, number, receive)
  }

  /// Passes on the row whose fields have been found.
  private mutating func pass(
    _ row: UnsafeRawBufferPointer, _ number: Int, _ receive: (Int, RowOutcome) -> RowAnswer
  ) -> Bool {
    do throws(RowMistake) {
      try requireUTF8(row)
      if format.hasTitles, !hasLayout {
        try setTitles(row)
        return receive(number, .titles) != .stop
      }
      if format.hasTitles { try requireColumns(row) }
      let layout =
        if let layout { layout } else { try layouts.layout(of: fields, in: row, rules, decisive) }
      let values: RowWriter.Values = format.hasTitles ? .allFields : .namedFields
      if asks, !layout.decisive.isEmpty {
        try writer.write(fields, of: row, layout, values: values, decisive: true)
        let answer = writer.object.withUnsafeBytes { receive(number, .decision(JSONText($0))) }
        if answer != .object { return answer == .next }
      }
      try writer.write(fields, of: row, layout, values: values)
    } catch {
      return mistake(error, number, receive)
    }
    let spellings = writer.spellings
    return writer.object.withUnsafeBytes { receive(number, .object(JSONText($0), spellings)) } != .stop
  }

  /// Passes on that a row is bad.
  private func mistake(_ mistake: RowMistake, _ number: Int, _ receive: (Int, RowOutcome) -> RowAnswer)
    -> Bool
  {
    let isTitles = format.hasTitles && !hasLayout
    return receive(number, isTitles ? .badTitles(mistake.reason) : .mistake(mistake.reason)) != .stop
  }

  private func requireUTF8(_ row: UnsafeRawBufferPointer) throws(RowMistake) {
    // Without an end at the first byte that is not ASCII, several bytes are tested at a time.
    if row.reduce(0, |) < 0x80 { return }
    if row.starts(with: [0xFF, 0xFE]) || row.starts(with: [0xFE, 0xFF]) {
      throw RowMistake(reason: "the text is UTF-16, which --encoding utf-16 reads")
    }
    if String(validating: row, as: UTF8.self) == nil {
      throw RowMistake(reason: "not UTF-8; if it is Latin-1, --encoding latin-1 reads it")
    }
  }

  private mutating func setTitles(_ row: UnsafeRawBufferPointer) throws(RowMistake) {
    if row.contains(0) {
      throw RowMistake(reason: "the titles have NUL bytes; --encoding utf-16 reads UTF-16")
    }
    guard fields.count <= RowFields.maximum else {
      throw RowMistake(reason: "\(fields.count) titles; up to \(RowFields.maximum) are read")
    }
    setColumns(fields.fields.map { fields.text(of: $0, in: row) })
  }

  private mutating func setColumns(_ names: [String]) {
    (layout, columnCount) = (RowLayout(names, rules, decisive: decisive), names.count)
  }

  /// Makes sure that each field has a column: fields that are empty need none, and without titles there are as many columns as
  /// the longest row so far has fields.
  private mutating func requireColumns(_ row: UnsafeRawBufferPointer) throws(RowMistake) {
    width = max(width, fields.count)
    guard fields.count > columnCount else { return }
    let isEmpty =
      fields.count == fields.fields.count
      && fields.fields[columnCount...].allSatisfy { !$0.isQuoted && $0.start == $0.end }
    if rules.hasTitles {
      if !isEmpty { throw RowMistake(reason: "\(fields.count) fields below \(columnCount) titles") }
    } else {
      guard fields.count <= RowFields.maximum else {
        throw RowMistake(reason: "\(fields.count) fields; up to \(RowFields.maximum) are read")
      }
      // Twice as many as before, so that rows that become longer do not take time with the square of their number.
      setColumns((0..<max(fields.count, min(2 * columnCount, RowFields.maximum))).map { "\($0 + 1)" })
    }
  }
}

/// The layouts of lines of logfmt, by the names that the lines have: most lines of a log have one of a few.
private struct LayoutCache {
  private var layouts: [[UInt8]: RowLayout] = [:]
  private var last: (names: [UInt8], layout: RowLayout)?
  private var names: [UInt8] = []

  private static let limit = (layouts: 256, bytes: 1 << 14)

  /// The layout of a line, whose fields are names and values in turn.
  ///
  /// - Complexity: O(length of the names)
  mutating func layout(
    of fields: RowFields, in row: UnsafeRawBufferPointer, _ rules: RowRules, _ decisive: Set<ComparedText>?
  ) throws(RowMistake) -> RowLayout {
    guard fields.count <= RowFields.maximum else {
      throw RowMistake(reason: "more than \(RowFields.maximum / 2) names")
    }
    names.removeAll(keepingCapacity: true)
    for index in stride(from: 0, to: fields.fields.count, by: 2) {
      fields.withBytes(of: fields.fields[index], in: row) { names.append(contentsOf: $0) }
      // No byte of UTF-8.
      names.append(0xFF)
    }
    if let last, last.names == names { return last.layout }
    let layout =
      layouts[names]
      ?? RowLayout(
        names.split(separator: 0xFF, omittingEmptySubsequences: false).dropLast().map {
          String(decoding: $0, as: UTF8.self)
        }, rules, decisive: decisive)
    if names.count <= Self.limit.bytes {
      if layouts.count == Self.limit.layouts { layouts.removeAll() }
      layouts[names] = layout
      last = (names, layout)
    }
    return layout
  }
}
