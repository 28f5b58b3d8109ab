import LiveStore

/// The argument of an option, with the ways to read it; each throws status 64 and a sentence that names the option.
struct OptionArgument {
  /// The option's name.
  let option: String
  /// The argument as given.
  let text: String

  /// A value, if there is one; else the end with what was expected.
  private func required<Value>(_ value: Value?, _ expectation: String) throws(Exit) -> Value {
    guard let value else { throw refused(expectation) }
    return value
  }

  /// A path such as `address.city`.
  func path() throws(Exit) -> KeyPathText {
    try path(text)
  }

  private func path(_ text: String) throws(Exit) -> KeyPathText {
    let part = text == self.text ? "" : " \(text)"
    return try required(
      KeyPathText(text),
      text.isEmpty
        ? "expected a key path such as a.b" : "the path\(part) is for filters alone; expected one such as a.b"
    )
  }

  /// Paths, separated by commas.
  func paths() throws(Exit) -> [KeyPathText] {
    try text.unquotedParts(at: ",").map { part throws(Exit) in
      try path(part)
    }
  }

  /// Paths whose order does not matter.
  func pathSet() throws(Exit) -> Set<KeyPathText> { Set(try paths()) }

  /// Percentages and paths: `50,99 latency`.
  func percentiles() throws(Exit) -> [GroupTotal] {
    let parts = text.parts(at: " ", maxSplits: 1)
    let percentiles = parts[0].parts(at: ",").map { Percentile($0) }
    guard parts.count == 2, !percentiles.contains(nil) else {
      throw refused("expected numbers from 0 to 100 and a path, as 50,99 latency")
    }
    return try OptionArgument(option: option, text: parts[1]).paths().flatMap { path in
      percentiles.compactMap { $0.map { GroupTotal(kind: .percentile($0), path: path) } }
    }
  }

  /// The length of windows of time, and perhaps after a comma the path of the time: `1m,ts`.
  func window() throws(Exit) -> GroupWindow {
    let parts = text.parts(at: ",", maxSplits: 1)
    let path = try parts.dropFirst().first.map { path throws(Exit) in
      if path.isEmpty { throw refused("expected a key path behind the comma, as in 1m,ts") }
      return try self.path(path)
    }
    return try required(GroupWindow(length: parts[0], path: path), Self.lengthExpected)
  }

  private static let lengthExpected = "expected a length of time such as 500ms, 10s, 1m, 1h or 1d"

  /// A whole number.
  func number() throws(Exit) -> Int {
    let areDigits = !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    return try required(
      Int(text).flatMap { $0 >= 0 ? $0 : nil },
      areDigits ? "expected a whole number below 2^63" : "expected a whole number of at least 0")
  }

  /// A number of seconds, also a part of one.
  func seconds() throws(Exit) -> Double {
    let seconds = Double(text).flatMap { $0 > 0 && $0 <= 1e9 ? $0 : nil }
    return try required(seconds, "expected a number of seconds above 0")
  }

  /// A length of time such as `500ms`, `90s`, `1m`, `2h` or `1d`, in seconds.
  func duration() throws(Exit) -> Double {
    try required(GroupWindow(length: text, path: nil), Self.lengthExpected).seconds
  }

  /// A number of objects, perhaps after a comparison: `5`, `>= 5`, `< 5`.
  func count() throws(Exit) -> CountCondition {
    try required(CountCondition(text), "expected a number of objects, perhaps after <, <=, ==, >= or >")
  }

  /// A template such as `{name} is {state}`.
  func template() throws(Exit) -> LineTemplate {
    try required(
      LineTemplate(text), "expected a path in each pair of braces; a brace alone is written {{ or }}")
  }

  /// A command of the shell.
  func command() throws(Exit) -> String {
    if text.allSatisfy(\.isWhitespace) { throw refused("expected a command") }
    return text
  }

  /// A number of lines, and perhaps after a comma a time in milliseconds: `1000,50ms`.
  func batch() throws(Exit) -> (lines: Int, milliseconds: Int32?) {
    let parts = text.parts(at: ",", maxSplits: 1)
    guard let lines = Int(parts[0]), lines >= 1 else {
      throw refused("expected a whole number of at least 1")
    }
    guard parts.count == 2 else { return (lines, nil) }
    guard parts[1].hasSuffix("ms"), let time = Int32(parts[1].dropLast(2)), time >= 1, time <= 3_600_000
    else {
      throw refused("expected a time such as 50ms after the comma")
    }
    return (lines, time)
  }

  /// One of the words of a type.
  func choice<Choice: OptionChoice>() throws(Exit) -> Choice {
    let words = Choice.allCases.map(\.rawValue)
    let suggestion = Self.suggestion(for: text, in: words)
    return try required(
      Choice(rawValue: text), "expected one of \(words.joined(separator: ", "))\(suggestion)")
  }

  /// A filter; an error has its place in the text.
  func filter() throws(Exit) -> FilterSyntax {
    do throws(FilterSyntaxError) {
      let filter = try FilterSyntax(parsing: text)
      try filter.check(Document.self)
      if let value = filter.comparedValue {
        let isNumber = "\(value)".utf8.allSatisfy { 0x30...0x39 ~= $0 }
        let isText = if case .literal(.text, _) = value { true } else { false }
        let advice =
          isNumber
          ? "a path that is a number is written [\"\(value)\"]"
          : isText ? "a path has no quotes" : "one side must be a path"
        throw FilterSyntaxError(column: value.column, message: "two values are compared; \(advice)")
      }
      return filter
    } catch {
      let lines = FilterExcerpt.lines(of: text, at: error.column) { String($0).escapingInvisibles }
      throw Exit(.usage, "\(option): \(error)", details: lines)
    }
  }

  /// Keys of an order, `priority:desc,title`.
  func sortKeys() throws(Exit) -> [SortKey] {
    try text.unquotedParts(at: ",").map { part throws(Exit) in
      let pieces = part.unquotedParts(at: ":", maxSplits: 1)
      let path = try path(pieces[0])
      guard pieces.count == 1 || pieces[1] == "asc" || pieces[1] == "desc" else {
        throw refused("expected asc or desc after \(path):, found \"\(pieces[1])\"")
      }
      return SortKey(path: path, isDescending: pieces.last == "desc" && pieces.count == 2)
    }
  }

  private static func unquoted(_ title: String) -> String {
    let isQuoted = title.utf8.count > 1 && title.utf8.first == 0x22 && title.utf8.last == 0x22
    return isQuoted ? String(title.unicodeScalars.dropFirst().dropLast()) : title
  }

  /// What separates the fields of CSV: a character, or a word for one.
  func delimiter() throws(Exit) -> UInt8 {
    let words: [String: UInt8] = [
      "tab": 0x09, "\\t": 0x09, "comma": 0x2C, "semicolon": 0x3B, "pipe": 0x7C, "space": 0x20,
    ]
    if let delimiter = words[text] { return delimiter }
    guard text.utf8.count == 1, let byte = text.utf8.first, byte != 0x22, byte != 0x0A, byte != 0x0D,
      byte < 0x80
    else {
      throw refused("expected one ASCII character, tab, comma, semicolon, pipe or space")
    }
    return byte
  }

  /// Columns with their titles, `id,owner.name=Owner`, where a title with commas stands in quotation marks.
  func columns() throws(Exit) -> [Column] {
    var columns: [Column] = []
    for part in text.unquotedParts(at: ",") {
      let pieces = part.unquotedParts(at: "=", maxSplits: 1)
      let path = try path(pieces[0])
      let column = Column(path: path.steps, title: pieces.dropFirst().first.map(Self.unquoted))
      if column.title.isEmpty { throw refused("expected a title after \(path)=") }
      if columns.contains(where: { $0.title == column.title }) {
        throw refused("two columns are called \(column.title)")
      }
      columns.append(column)
    }
    return columns
  }

  /// The end for an argument that is not what it should be.
  func refused(_ reason: String) -> Exit {
    .usage("\(option) \(text): \(reason)")
  }

  /// The word that was probably meant, as a question in parentheses; nothing if there is none.
  static func suggestion(for word: String, in words: [String]) -> String {
    NearestWord.find(word, in: words).map { " (did you mean \($0)?)" } ?? ""
  }
}

extension FilterSyntax {
  /// The first of two values that are compared, of which neither is of an object; nil if there are none.
  fileprivate var comparedValue: Operand? {
    comparisons.first { comparison in
      if case .literal = comparison.left, case .literal = comparison.right { true } else { false }
    }?.left
  }
}
