import LiveStore

/// Parses the lines of one file into changes; bad lines are reported and skipped.
package struct DocumentReader {
  private let file: String
  let rules: InputRules
  let filters: InputFilters
  private var decoder: TextDecoder?
  private var lines: LineSplitter
  private var rows: RowReader
  private var records = JSONRecords()
  private let compactor = JSONCompactor()
  /// How many objects, bad lines and lines about nothing there were.
  package private(set) var lineCount = 0
  /// How many of them were bad lines.
  package private(set) var badLineCount = 0
  /// The paths of the columns that rows have.
  var columns: [[String]] { rows.columns }
  /// Why nothing more can be read.
  package private(set) var failure: Exit?
  /// True once the handler of a bad line returned false; nothing is read after it.
  package private(set) var hasStopped = false
  /// True once an object has met the filter that ends the input; nothing is read after it.
  package internal(set) var isMet = false
  /// Whether nothing more is read.
  private var hasEnded: Bool { hasStopped || isMet || failure != nil }
  /// The objects that had no key.
  package internal(set) var keyless = KeylessObjects()
  /// The paths that no object has had so far.
  package internal(set) var unseen: UnseenPaths
  /// What lines have said about whole tables and lists.
  let tracker: EnvelopeTracker
  /// What the object is there for that is read, once that is decided.
  var decided: InputFilters.Use?
  /// Server-sent events, as far as they have been read.
  private var events = EventLines()

  /// A reader at the beginning of a file.
  ///
  /// - Parameters:
  ///   - unseen: paths to look for in the objects.
  ///   - tracker: what earlier files have said.
  package init(
    file: String, rules: InputRules, unseen: UnseenPaths = UnseenPaths(),
    tracker: EnvelopeTracker = EnvelopeTracker()
  ) {
    (self.file, self.rules, self.unseen, self.tracker) = (file, rules, unseen, tracker)
    filters = InputFilters(rules, comparedPaths: unseen.comparedPaths)
    decoder = rules.encoding == .utf8 ? nil : TextDecoder(rules.encoding)
    lines = LineSplitter(
      longestLine: rules.longestLine, delimiter: rules.format == .csv ? rules.rows.delimiter : nil,
      mayEndInReturns: rules.format != .json)
    rows = RowReader(rules.format, rules.rows, decisive: filters.members)
    linesBefore = rules.linesBefore
  }

  /// Appends the changes of the lines that a chunk completes; nil is the end of the file.
  ///
  /// - Parameter onBadLine: called for each bad line; returns whether to continue.
  package mutating func read(
    _ chunk: UnsafeRawBufferPointer?, into changes: inout [InputChange], onBadLine: (BadLine) -> Bool
  ) {
    guard !hasEnded else { return }
    guard decoder != nil else { return split(chunk, &changes, onBadLine) }
    (decoder?.decode(chunk) ?? []).withUnsafeBytes { split($0, &changes, onBadLine) }
    if chunk == nil { split(nil, &changes, onBadLine) }
  }

  private mutating func split(
    _ chunk: UnsafeRawBufferPointer?, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool
  ) {
    // Both are left to this call, which changes the reader while it goes through them.
    var (lines, rows) = (lines, rows)
    (self.lines, self.rows) = (LineSplitter(), RowReader(rules.format, rules.rows))
    rows.asks = unseen.isComplete
    var lineNumber = lines.lineCount
    if let chunk {
      lines.findNewline(in: chunk, isLog: !rules.format.hasTitles)
      rows.newline = lines.newline
      lines.feed(chunk) { read(line: $0, &lineNumber, &rows, &changes, onBadLine) }
    } else {
      lines.finish { read(line: $0, &lineNumber, &rows, &changes, onBadLine) }
      if !hasEnded { rows.finish { take($1, $0, &changes, onBadLine) } }
      finishRecords(&changes, onBadLine)
      _ = takeSteps(to: .endOfText, lineNumber, &changes, onBadLine)
    }
    (self.lines, self.rows) = (lines, rows)
  }

  /// Reads a line; returns whether to go on.
  ///
  /// - Parameter number: the number of the line before.
  private mutating func read(
    line: UnsafeRawBufferPointer, _ number: inout Int, _ rows: inout RowReader,
    _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    number += 1
    if line.count > rules.longestLine {
      let reason = "the line is longer than \(rules.longestLine) bytes, which is the limit"
      return take(.mistake(reason), number, &changes, onBadLine) != .stop
    }
    if rules.format == .json { return readJSON(line, number, &changes, onBadLine) }
    return rows.read(line, number) { take($1, $0, &changes, onBadLine) }
  }

  /// How many lines of other files come before the next one; empty lines are not counted.
  package var linesBefore: Int
  /// The number of the object that is read, over all files.
  var number: Int { linesBefore + lineCount }

  enum Mistake: Error {
    /// The line is bad.
    case line(String)
    /// A filter cannot be evaluated.
    case filter(StoreError)
  }

  /// Takes in an object, or whatever a line is instead; returns whether to go on.
  ///
  /// - Parameter isStep: whether its lines have been counted, of which it is the step.
  private mutating func take(
    line: Int, isStep: Bool = false, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool,
    _ change: (inout DocumentReader, inout [InputChange]) throws(Mistake) -> Void
  ) -> Bool {
    if !isStep { lineCount += 1 }
    let count = changes.count
    do throws(Mistake) {
      try change(&self, &changes)
    } catch {
      switch error {
      case .line(let reason):
        badLineCount += 1
        hasStopped = !onBadLine(BadLine(file: file, line: line, reason: reason))
      case .filter(let error): failure = Exit(error)
      }
    }
    if rules.countsLines, changes.count == count {
      changes.append(.nothing)
    } else if changes.count > count + 1 {
      changes.replaceSubrange(count..., with: [.several(Array(changes[count...]))])
    }
    return !hasEnded
  }
}

// MARK: Lines

extension DocumentReader {
  private mutating func take(
    _ row: RowOutcome, _ line: Int, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool
  ) -> RowAnswer {
    let continues: Bool
    switch row {
    case .titles: continues = true
    case .badTitles(let reason):
      failure = Exit(.badInput, "\(BadLine(file: file, line: line, reason: reason))")
      continues = false
    case .mistake(let reason):
      decided = nil
      continues = take(line: line, &changes, onBadLine) { _, _ throws(Mistake) in throw .line(reason) }
    case .object(let text, let spellings):
      continues = take(line: line, &changes, onBadLine) { reader, changes throws(Mistake) in
        try reader.change(of: text, spellings, &changes)
      }
    case .decision(let text):
      // Without a key, an object that is not needed has no use for its number.
      let document =
        rules.key.isLine
        ? Document(text, id: .outside(.null)) : Document(text, key: rules.key, line: number + 1)
      guard let document,
        (try? decide(document)) != nil, decided != .whole
      else { return .object }
      continues = take(line: line, &changes, onBadLine) { reader, changes throws(Mistake) in
        try reader.put(document, &changes)
      }
    }
    return continues ? .next : .stop
  }

  /// Reads a line of JSON, which mostly is an object.
  private mutating func readJSON(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ changes: inout [InputChange],
    _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    if rules.envelope == .state {
      switch events.part(of: line) {
      case .text(let text): return readText(text, number, &changes, onBadLine)
      case .end:
        finishRecords(&changes, onBadLine)
        return takeSteps(to: .endOfPart, number, &changes, onBadLine)
      case .nothing: return true
      }
    }
    return readText(line, number, &changes, onBadLine)
  }

  private mutating func readText(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ changes: inout [InputChange],
    _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    if !records.isOpen {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return true }
      if line.first == UInt8(ascii: "{"), let text = try? compactor.compact(line) {
        return take(text, number, &changes, onBadLine)
      }
    }
    records.add(line, number)
    let arrayCount = records.arrayCount
    guard takeRecords(&changes, onBadLine) else { return false }
    // The array of a response ends the last step in it.
    return records.arrayCount == arrayCount || takeSteps(to: .endOfPart, number, &changes, onBadLine)
  }

  private mutating func finishRecords(_ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool) {
    while !hasEnded, let record = records.finish() {
      if take(record, &changes, onBadLine) { _ = takeRecords(&changes, onBadLine) }
    }
  }

  /// Takes in the steps of a stream that are complete.
  ///
  /// - Parameter place: where in the text reading is.
  private mutating func takeSteps(
    to place: StateRows.TextPlace, _ line: Int, _ changes: inout [InputChange],
    _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    guard rules.envelope == .state else { return true }
    for step in tracker.state.steps(to: place, line: line) {
      let goesOn = take(line: step.line, isStep: true, &changes, onBadLine) {
        reader, changes throws(Mistake) in
        try reader.apply(step, &changes)
      }
      if !goesOn { return false }
    }
    return true
  }

  private mutating func takeRecords(_ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool) -> Bool {
    while let record = records.next() {
      guard take(record, &changes, onBadLine) else { return false }
    }
    return true
  }

  private mutating func take(
    _ record: JSONRecords.Record, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    switch record {
    case .mistake(let reason, let line):
      return take(line: line, &changes, onBadLine) { _, _ throws(Mistake) in throw .line(reason) }
    case .value(let range, let line):
      let result = records.bytes.withUnsafeBytes { bytes in
        Result { () throws(JSONSyntaxError) in
          try compactor.compact(UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
      }
      switch result {
      case .success(let text): return take(text, line, &changes, onBadLine)
      case .failure(let error): return take(records.reject(error.description), &changes, onBadLine)
      }
    }
  }

  /// Takes in a value, or the objects of a list of Kubernetes.
  private mutating func take(
    _ text: JSONText, _ line: Int, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool
  ) -> Bool {
    if rules.envelope == .state {
      return take(line: line, &changes, onBadLine) { reader, _ throws(Mistake) in
        try reader.add(text.value, line: line)
      } && takeSteps(to: .withinPart, line, &changes, onBadLine)
    }
    guard rules.envelope == nil, let items = KubernetesList.items(of: text) else {
      return take(line: line, &changes, onBadLine) { reader, changes throws(Mistake) in
        try reader.change(of: text, NumberSpellings(), &changes)
      }
    }
    return items.allSatisfy { item in
      take(line: line, &changes, onBadLine) { reader, changes throws(Mistake) in
        try reader.put(try reader.document(item), &changes)
      }
    }
  }
}
