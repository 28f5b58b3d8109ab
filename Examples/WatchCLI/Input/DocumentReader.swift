import LiveStore

/// Parses the lines of one file into changes; bad lines are reported and skipped.
package struct DocumentReader {
  private let file: String
  private let rules: InputRules
  /// The filters of the rules.
  private let filters:
    (deletion: FilterCheck<Document>?, end: FilterCheck<Document>?, kept: FilterCheck<Document>?)
  private var decoder: TextDecoder?
  private var lines: LineSplitter
  private var rows: RowReader
  private var records = JSONRecords()
  private let compactor = JSONCompactor()
  /// How many objects, bad lines and lines about nothing there were.
  package private(set) var lineCount = 0
  /// How many of them were bad lines.
  package private(set) var badLineCount = 0
  /// Why nothing more can be read.
  package private(set) var failure: Exit?
  /// True once the handler of a bad line returned false; nothing is read after it.
  package private(set) var hasStopped = false
  /// True once an object has met the filter that ends the input; nothing is read after it.
  package private(set) var isMet = false
  /// Whether nothing more is read.
  private var hasEnded: Bool { hasStopped || isMet || failure != nil }
  /// The objects that had no key.
  package private(set) var keyless = KeylessObjects()
  /// The paths that no object has had so far.
  package private(set) var unseen: UnseenPaths
  /// What lines have said about whole tables and lists.
  private let tracker: EnvelopeTracker

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
    filters = (
      rules.deletion.map { FilterCheck(Filter($0)) }, rules.end.map { FilterCheck(Filter($0)) },
      rules.filter.map { FilterCheck(Filter($0)) }
    )
    decoder = rules.encoding == .utf8 ? nil : TextDecoder(rules.encoding)
    lines = LineSplitter(
      longestLine: rules.longestLine, delimiter: rules.format == .csv ? rules.rows.delimiter : nil,
      mayEndInReturns: rules.format != .json)
    rows = RowReader(rules.format, rules.rows)
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
    var lineNumber = lines.lineCount
    func takeRow(_ number: Int, _ row: RowOutcome) -> Bool { take(row, number, &changes, onBadLine) }
    func receive(_ line: UnsafeRawBufferPointer) -> Bool {
      lineNumber += 1
      if line.count > rules.longestLine {
        return takeRow(
          lineNumber, .mistake("the line is longer than \(rules.longestLine) bytes, which is the limit"))
      }
      if rules.format != .json { return rows.read(line, lineNumber, takeRow) }
      return readJSON(line, lineNumber, &changes, onBadLine)
    }
    if let chunk {
      lines.findNewline(in: chunk, isLog: !rules.format.hasTitles)
      rows.newline = lines.newline
      lines.feed(chunk, to: receive)
    } else {
      lines.finish(to: receive)
      if !hasEnded { rows.finish(takeRow) }
      while !hasEnded, let record = records.finish() {
        if take(record, &changes, onBadLine) { _ = takeRecords(&changes, onBadLine) }
      }
    }
    (self.lines, self.rows) = (lines, rows)
  }

  /// How many lines of other files come before the next one; empty lines are not counted.
  package var linesBefore: Int
  /// The number of the object that is read, over all files.
  private var number: Int { linesBefore + lineCount }

  private enum Mistake: Error {
    /// The line is bad.
    case line(String)
    /// A filter cannot be evaluated.
    case filter(StoreError)
  }

  /// Takes in an object, or whatever a line is instead; returns whether to go on.
  private mutating func take(
    line: Int, _ changes: inout [InputChange], _ onBadLine: (BadLine) -> Bool,
    _ change: (inout DocumentReader, inout [InputChange]) throws(Mistake) -> Void
  ) -> Bool {
    lineCount += 1
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
  ) -> Bool {
    switch row {
    case .titles: return true
    case .badTitles(let reason):
      failure = Exit(.badInput, "\(BadLine(file: file, line: line, reason: reason))")
      return false
    case .mistake(let reason):
      return take(line: line, &changes, onBadLine) { _, _ throws(Mistake) in throw .line(reason) }
    case .object(let text, let spellings):
      return take(line: line, &changes, onBadLine) { reader, changes throws(Mistake) in
        try reader.change(of: text, spellings, &changes)
      }
    }
  }

  /// Reads a line of JSON, which mostly is an object.
  private mutating func readJSON(
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
    return takeRecords(&changes, onBadLine)
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

// MARK: Objects

extension DocumentReader {
  /// Appends what an object changes.
  private mutating func change(
    of text: JSONText, _ spellings: NumberSpellings, _ changes: inout [InputChange]
  )
    throws(Mistake)
  {
    guard rules.envelope == nil else { return try change(inEnvelope: text.value, &changes) }
    guard let document = Document(text, key: rules.key, line: number, spellings: spellings) else {
      // Says what is missing.
      return try put(document(text.value), &changes)
    }
    try put(document, &changes)
  }

  private mutating func change(inEnvelope line: JSONValue, _ changes: inout [InputChange]) throws(Mistake) {
    guard let envelope = rules.envelope else { return }
    let content: Envelope.Content
    do throws(Envelope.Mistake) {
      content = try envelope.content(of: line)
    } catch {
      throw .line(error.reason)
    }
    switch content {
    case .put(let body, let before):
      let body = before.map { Envelope.completed(body, by: $0) } ?? body
      let document = try document(body, in: line)
      if let before, let old = try? self.document(before, in: line), old.id != document.id {
        tracker.remove(old.id)
        changes.append(.remove(old))
      }
      if rules.key != .line { tracker.put(document.id, table: envelope.table(of: line)) }
      try put(document, &changes, missing: Envelope.missing(in: body))
    case .remove(let body):
      let document = try document(body, in: line)
      unseen.look(at: document)
      tracker.remove(document.id)
      changes.append(.remove(document))
    case .removeAll(let table): changes += tracker.removeAll(table: table)
    case .listBegin: tracker.beginList()
    case .listEnd: changes += tracker.endList()
    case .nothing: break
    }
  }

  /// Appends the change to an object, of which the values of some members were not sent.
  private mutating func put(_ document: Document, _ changes: inout [InputChange], missing: [String] = [])
    throws(Mistake)
  {
    unseen.look(at: document)
    // What was not sent is not known here: nothing is decided by it.
    func isKnown(_ filter: FilterSyntax?) -> Bool {
      missing.isEmpty || filter?.keyPaths.contains { $0.steps.first.map(missing.contains) ?? false } == false
    }
    do throws(StoreError) {
      if isKnown(rules.deletion), try filters.deletion?.isMet(by: document) == true {
        tracker.remove(document.id)
        return changes.append(.remove(document))
      }
      if isKnown(rules.end), try filters.end?.isMet(by: document) == true { isMet = true }
      if try filters.kept?.isMet(by: document) != false {
        return changes.append(missing.isEmpty ? .put(document) : .complete(document, missing: missing))
      }
    } catch {
      throw .filter(error)
    }
    // No later line is about an object that has no key.
    if rules.key != .line { changes.append(.put(document.withoutObject)) }
  }

  /// - Parameter line: what the object was sent in, of which a key may name the source.
  private mutating func document(_ body: JSONValue, in line: JSONValue = .null) throws(Mistake) -> Document {
    guard case .object = body else {
      throw Mistake.line("expected an object, found \(body.kindDescription)")
    }
    guard let id = rules.key.id(of: rules.envelope?.identified(body, in: line) ?? body, line: number) else {
      keyless.count += 1
      if keyless.example.isNull { keyless.example = body }
      throw Mistake.line("the key \(rules.key) is missing or null")
    }
    return Document(id: id, body: body)
  }
}
