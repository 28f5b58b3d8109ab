package import LiveStore

/// A line that is not a document, and the reason.
package struct BadLine: Hashable, Sendable, CustomStringConvertible {
  /// The file as given on the command line.
  package let file: String
  /// The line, counted from 1.
  package let line: Int
  /// What is wrong with it; of names and values in it that are very long, the beginning.
  package let reason: String

  private static let longest = 1_000

  /// A bad line of a file.
  package init(file: String, line: Int, reason: String) {
    (self.file, self.line) = (file, line)
    let scalars = reason.unicodeScalars
    self.reason = scalars.count > Self.longest ? String(scalars.prefix(Self.longest)) + "…" : reason
  }

  /// `FILE:LINE: reason`, as compilers write it.
  package var description: String {
    "\(file):\(line): \(reason)"
  }
}

/// Parses the lines of one file into changes; bad lines are reported and skipped.
package struct DocumentReader {
  private let file: String
  private let rules: InputRules
  /// The filters of the rules.
  private let filters:
    (deletion: FilterCheck<Document>?, end: FilterCheck<Document>?, kept: FilterCheck<Document>?)
  private var lines: LineSplitter
  private var rows: RowObjects
  private let compactor = JSONCompactor()
  private var hasTitles = false
  /// The beginning of a row that has a newline in quotes, the line at which it begins, and whether there is one.
  private var incomplete: (bytes: [UInt8], line: Int, isOpen: Bool) = ([], 0, false)

  /// How long a row with newlines may be: a quote that is not closed would take all that follows.
  private static let longestRow = 1 << 24
  /// How many lines were not empty.
  package private(set) var lineCount = 0
  /// How many of them were bad.
  package private(set) var badLineCount = 0
  /// Why a filter could not be evaluated; nothing is read after it.
  package private(set) var failure: StoreError?
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

  /// A reader at the beginning of a file.
  ///
  /// - Parameter unseen: paths to look for in the objects.
  package init(file: String, rules: InputRules, unseen: UnseenPaths = UnseenPaths()) {
    (self.file, self.rules, self.unseen) = (file, rules, unseen)
    filters = (
      rules.deletion.map { FilterCheck(Filter($0)) }, rules.end.map { FilterCheck(Filter($0)) },
      rules.filter.map { FilterCheck(Filter($0)) }
    )
    lines = LineSplitter(longestLine: rules.longestLine, keepsReturns: rules.format == .csv)
    rows = RowObjects(rules.format)
    linesBefore = rules.linesBefore
  }

  /// A reader of lines that are objects.
  package init(file: String, key: KeyPathText) {
    self.init(file: file, rules: InputRules(key: ObjectKey([key])))
  }

  /// Appends the changes of the lines that a chunk completes; nil is the end of the file.
  ///
  /// - Parameter onBadLine: called for each bad line; returns whether to continue.
  package mutating func read(
    _ chunk: UnsafeRawBufferPointer?, into changes: inout [InputChange], onBadLine: (BadLine) -> Bool
  ) {
    guard !hasEnded else { return }
    var lines = lines
    self.lines = LineSplitter()
    var lineNumber = lines.lineCount
    func receive(_ line: UnsafeRawBufferPointer) -> Bool {
      lineNumber += 1
      if rules.format == .csv {
        guard let row = completed(line, lineNumber) else { return true }
        return row.bytes.withUnsafeBytes { take($0, row.line) }
      }
      return take(line, lineNumber)
    }
    func take(_ line: UnsafeRawBufferPointer, _ number: Int) -> Bool {
      guard !line.allSatisfy(Self.isBlank) else { return true }
      lineCount += 1
      do throws(Mistake) {
        if let change = try change(line) { changes.append(change) }
      } catch {
        switch error {
        case .line(let reason):
          badLineCount += 1
          hasStopped = !onBadLine(BadLine(file: file, line: number, reason: reason))
        case .filter(let error): failure = error
        }
      }
      return !hasEnded
    }
    if let chunk {
      lines.feed(chunk, to: receive)
    } else {
      lines.finish(to: receive)
      if incomplete.isOpen, !hasEnded {
        let row = incomplete
        incomplete = ([], 0, false)
        _ = row.bytes.withUnsafeBytes { take($0, row.line) }
      }
    }
    self.lines = lines
  }

  /// The row that a line completes; nil if it goes on in the next line.
  ///
  /// - Complexity: O(length of the line)
  private mutating func completed(_ line: UnsafeRawBufferPointer, _ number: Int) -> (
    bytes: [UInt8], line: Int
  )? {
    if incomplete.isOpen { incomplete.bytes.append(0x0A) } else { incomplete.line = number }
    incomplete.bytes += line
    // A quote in quotes is doubled, so that a row is complete where their number is even.
    if line.count(where: { $0 == UInt8(ascii: "\"") }) % 2 == 1 { incomplete.isOpen.toggle() }
    if incomplete.isOpen, incomplete.bytes.count < Self.longestRow { return nil }
    defer { incomplete = ([], 0, false) }
    if incomplete.bytes.last == 0x0D { incomplete.bytes.removeLast() }
    return (incomplete.bytes, incomplete.line)
  }

  /// How many lines of other files come before the next one; empty lines are not counted.
  package var linesBefore: Int
  /// The number of the line that is read, over all files.
  private var number: Int { linesBefore + lineCount }

  private enum Mistake: Error {
    /// The line is bad.
    case line(String)
    /// A filter cannot be evaluated.
    case filter(StoreError)
  }

  /// The change of a line; nil if it says nothing about objects.
  private mutating func change(_ line: UnsafeRawBufferPointer) throws(Mistake) -> InputChange? {
    guard line.count <= rules.longestLine else {
      throw Mistake.line("the line is longer than \(rules.longestLine) bytes, which is the limit")
    }
    if rules.format == .json, rules.envelope == nil { return try change(putting: document(line)) }
    guard let value = try value(of: line) else { return nil }
    switch try content(of: value) {
    case .put(let body): return try change(putting: document(body))
    case .remove(let body):
      let document = try document(body)
      unseen.look(at: document)
      return .remove(document)
    case .removeAll: return .removeAll
    case .nothing: return nil
    }
  }

  private mutating func change(putting document: Document) throws(Mistake) -> InputChange? {
    unseen.look(at: document)
    let isKept: Bool
    do throws(StoreError) {
      if try filters.deletion?.isMet(by: document) == true { return .remove(document) }
      if try filters.end?.isMet(by: document) == true { isMet = true }
      isKept = try filters.kept?.isMet(by: document) != false
    } catch {
      throw .filter(error)
    }
    if isKept { return .put(document) }
    // No later line is about an object that has no key.
    return rules.key == .line ? nil : .put(document.withoutObject)
  }

  /// The object that a line is, of which only the values at the key are made.
  private mutating func document(_ line: UnsafeRawBufferPointer) throws(Mistake) -> Document {
    let text: JSONText
    do throws(JSONSyntaxError) {
      text = try compactor.compact(line)
    } catch {
      throw Mistake.line(error.description)
    }
    if let document = Document(text, key: rules.key, line: number) { return document }
    // Says what is missing.
    return try document(text.value)
  }

  /// The value that a line has; nil for a row of titles.
  private mutating func value(of line: UnsafeRawBufferPointer) throws(Mistake) -> JSONValue? {
    if rules.format == .json {
      do throws(JSONSyntaxError) {
        return try JSONValue(parsing: line)
      } catch {
        throw Mistake.line(error.description)
      }
    }
    guard let text = String(validating: line, as: UTF8.self) else { throw Mistake.line("not UTF-8") }
    let isTitles = rules.format.hasTitles && !hasTitles
    do throws(RowMistake) {
      let object = try rows.object(text)
      if isTitles {
        hasTitles = true
        lineCount -= 1
      }
      return object
    } catch {
      throw Mistake.line(error.reason)
    }
  }

  private func content(of line: JSONValue) throws(Mistake) -> Envelope.Content {
    guard let envelope = rules.envelope else { return .put(line) }
    do throws(Envelope.Mistake) {
      return try envelope.content(of: line)
    } catch {
      throw Mistake.line(error.reason)
    }
  }

  private mutating func document(_ body: JSONValue) throws(Mistake) -> Document {
    guard case .object = body else {
      throw Mistake.line("expected an object, found \(body.kindDescription)")
    }
    guard let id = rules.key.id(of: body, line: number) else {
      keyless.count += 1
      if keyless.example.isNull { keyless.example = body }
      throw Mistake.line("the key \(rules.key) is missing or null")
    }
    return Document(id: id, body: body)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }
}

/// Objects that were refused because they have no value at the key.
package struct KeylessObjects: Hashable, Sendable {
  /// How many there were.
  package var count = 0
  /// The first of them; null if there was none.
  package var example = JSONValue.null

  /// No objects.
  package init() {}

  /// Adds later objects.
  mutating func add(_ later: KeylessObjects) {
    if count == 0 { example = later.example }
    count += later.count
  }
}

extension JSONValue {
  /// What kind of value this is, for messages.
  fileprivate var kindDescription: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
