/// Splits a filter's text into tokens, one at a time.
///
/// The text is stored as Unicode scalars; columns count characters. Copying a lexer is cheap, which the parser uses
/// to look ahead.
struct FilterLexer {
  /// The text.
  let scalars: [Unicode.Scalar]
  /// For text other than plain ASCII, the column of each scalar and of the end.
  private let columns: [Int]
  /// The position of the next scalar.
  var index = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) {
      columns = []
    } else {
      var columns: [Int] = []
      for (column, character) in text.enumerated() {
        columns += repeatElement(column + 1, count: character.unicodeScalars.count)
      }
      self.columns = columns + [(columns.last ?? 0) + 1]
    }
  }

  /// Reads the next token.
  mutating func token() throws(FilterSyntaxError) -> FilterToken {
    while let scalar = peek(), Self.isBlank(scalar) { index += 1 }
    let start = index
    guard let scalar = peek() else { return FilterToken(kind: .end, column: column(start)) }
    let kind: FilterToken.Kind
    switch scalar {
    case "\"", "'": kind = .literal(.text(try string(closing: scalar)))
    case "0"..."9":
      if let date = try date() { kind = date } else { kind = try number() }
    case "." where peek(1).map(Self.isDigit) ?? false: kind = try number()
    case "#":
      index += 1
      kind = .word(try steps(isQuoted: true), isQuoted: true)
    case "`": kind = .word(try steps(isQuoted: true), isQuoted: true)
    case "@" where peek(1).map(Self.isLetter) ?? false: kind = aggregate()
    case "%": kind = try argument()
    case _ where Self.isWordStart(scalar):
      if let literal = try typedLiteral() {
        kind = literal
      } else {
        kind = .word(try steps(isQuoted: false), isQuoted: false)
      }
    default: kind = .symbol(try symbol(scalar))
    }
    return FilterToken(kind: kind, column: column(start))
  }

  /// The column of a scalar.
  private func column(_ position: Int) -> Int {
    columns.isEmpty ? position + 1 : columns[position]
  }

  func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  /// The text from a scalar to the next one.
  func text(from start: Int) -> String { String(String.UnicodeScalarView(scalars[start..<index])) }

  func error(_ message: String, at position: Int, suggestion: String? = nil) -> FilterSyntaxError {
    FilterSyntaxError(column: column(position), message: message, suggestion: suggestion)
  }
}

extension FilterLexer {
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar >= "0" && scalar <= "9"
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar.properties.isWhitespace
  }

  static func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || scalar == "_" || scalar == "$" || !scalar.isASCII && scalar.properties.isIDStart
  }

  static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    isWordStart(scalar) || isDigit(scalar) || !scalar.isASCII && scalar.properties.isIDContinue
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar >= "a" && scalar <= "z" || scalar >= "A" && scalar <= "Z"
  }

  /// Reads the steps of a key path, `address.lines.0`.
  ///
  /// A hyphen belongs to a step if a letter follows (`first-name`); in a quoted path, also before a digit. A step of
  /// any characters is written in backquotes. An aggregate after a point, `.@count`, is a token of its own.
  private mutating func steps(isQuoted: Bool) throws(FilterSyntaxError) -> [String] {
    var steps: [String] = []
    while true {
      let start = index
      if peek() == "`" {
        steps.append(try string(closing: "`"))
      } else {
        let step = try step(isQuoted: isQuoted)
        if index == start { throw error("expected a name in a key path", at: start) }
        steps.append(step)
      }
      // The step is looked up among names, and hashed.
      if steps.last?.hasManyMarks == true {
        throw error("a letter of a name has more than \(String.maximumMarks) marks", at: start)
      }
      guard peek() == ".", peek(1) != "@" else { return steps }
      index += 1
    }
  }

  private mutating func step(isQuoted: Bool) throws(FilterSyntaxError) -> String {
    let start = index
    var step = String.UnicodeScalarView()
    while let scalar = peek() {
      if scalar == "\\", index > start, let blank = peek(1).flatMap({ Self.escapedBlanks[$0] }) {
        step.append(blank)
        index += 2
        continue
      }
      let isHyphen =
        scalar == "-" && index > start
        && (peek(1).map(isQuoted ? Self.isWordPart : Self.isWordStart) ?? false)
      guard isHyphen || Self.isWordPart(scalar) else { break }
      step.append(scalar)
      index += 1
    }
    return String(step)
  }

  /// The blanks that a backslash makes part of a name.
  private static let escapedBlanks: [Unicode.Scalar: Unicode.Scalar] = [
    " ": " ", "n": "\n", "r": "\r", "t": "\t",
  ]

  /// Reads `@count`.
  private mutating func aggregate() -> FilterToken.Kind {
    index += 1
    let start = index
    while let scalar = peek(), Self.isLetter(scalar) { index += 1 }
    return .at(text(from: start))
  }

  /// Reads `%@`, `%K`, `%ld`.
  private mutating func argument() throws(FilterSyntaxError) -> FilterToken.Kind {
    let start = index
    index += 1
    while let scalar = peek(), "lhqzjtL".unicodeScalars.contains(scalar) { index += 1 }
    if index == start + 1, peek() == "%" {
      throw error("a percent sign is written in a string, '%', and there as a single one", at: start)
    }
    guard let kind = peek(), "@KdDiuUxXoOfFeEgGaAcCsSp".unicodeScalars.contains(kind) else {
      throw error(
        "expected an argument after %, such as %@, %K or %d; a percent sign is written in a string", at: start
      )
    }
    index += 1
    return .argument(isPath: kind == "K")
  }

  /// Reads an operator or a bracket.
  private mutating func symbol(_ first: Unicode.Scalar) throws(FilterSyntaxError) -> String {
    let start = index
    index += 1
    switch first {
    case "(", ")", "{", "}", "[", "]", ",", "+", "-", "/", "@", ":", ".": break
    case "*": if peek() == "*" { index += 1 }
    case "&", "|": if peek() == first { index += 1 }
    case "!":
      while index == start + 1 && peek() == "=" || index > start + 1 && peek().map(Self.isComparison) ?? false
      {
        index += 1
      }
    case "=", "<", ">": while let scalar = peek(), Self.isComparison(scalar) { index += 1 }
    case "“", "”", "‘", "’", "„":
      throw error("strings are written in straight quotes, \"…\" or '…'", at: start)
    default: throw error("unexpected character \(first)", at: start)
    }
    let symbol = text(from: start)
    let isComparison = first == "!" && index > start + 1 || Self.isComparison(first)
    if isComparison && FilterWords.symbols[symbol] == nil || symbol == "&" || symbol == "|" {
      throw error(
        "\(symbol) is not an operator", at: start,
        suggestion: FilterWords.suggestion(for: symbol, among: FilterWords.symbols.keys))
    }
    return symbol
  }

  private static func isComparison(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "=" || scalar == "<" || scalar == ">"
  }

  /// Reads a string from its opening quote.
  mutating func string(closing quote: Unicode.Scalar) throws(FilterSyntaxError) -> String {
    let opening = index
    index += 1
    var text = String.UnicodeScalarView()
    while let scalar = peek() {
      if scalar == "\\" {
        text.append(try escape())
      } else {
        index += 1
        if scalar == quote { return String(text) }
        text.append(scalar)
      }
    }
    throw error("the string has no closing \(quote)", at: opening)
  }

  /// Reads an escape of a string from its backslash, as in JSON and with `\'`.
  private mutating func escape() throws(FilterSyntaxError) -> Unicode.Scalar {
    let backslash = index
    index += 1
    let kind = peek()
    index += 1
    switch kind {
    case "\"", "'", "`", "\\", "/": return kind ?? "\\"
    case "0": return "\0"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u":
      let unit = try fourHexDigits(from: backslash)
      if let scalar = Unicode.Scalar(unit) { return scalar }
      if unit < 0xDC00 && peek() == "\\" && peek(1) == "u" {
        index += 2
        let low = try fourHexDigits(from: backslash)
        if low >= 0xDC00 && low <= 0xDFFF,
          let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        {
          return scalar
        }
      }
      throw error("half of a surrogate pair without the other half", at: backslash)
    case let other?: throw error("\\\(other) is no escape in a string", at: backslash)
    case nil: throw error("the string ends in a backslash", at: backslash)
    }
  }

  private mutating func fourHexDigits(from backslash: Int) throws(FilterSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
        throw error("\\u needs four hexadecimal digits", at: backslash)
      }
      value = value << 4 + UInt32(digit)
      index += 1
    }
    return value
  }
}
