import Foundation

// Literals of types that JSON does not have: dates, data, identifiers.

extension FilterLexer {
  /// Reads `T100:0`, `B64"aGVsbG8="`, `uuid(…)`, `oid(…)`; nil if the word is none of these.
  mutating func typedLiteral() throws(FilterSyntaxError) -> FilterToken.Kind? {
    if let date = try secondsAndNanoseconds() { return .literal(.date(date)) }
    if let data = try base64() { return .literal(data) }
    return try identifier().map { .literal($0) }
  }

  /// Reads `2017-07-14@02:40:00:505`, or with a T for the @; nil if no date begins here.
  mutating func date() throws(FilterSyntaxError) -> FilterToken.Kind? {
    var lexer = self
    var parts: [Int64] = []
    for separator in ["-", "-", "@T", ":", ":", ""] as [String] {
      guard lexer.peek().map(Self.isDigit) ?? false, let part = lexer.signedInteger() else { return nil }
      parts.append(part)
      if separator.isEmpty { break }
      guard let next = lexer.peek(), separator.unicodeScalars.contains(next) else { return nil }
      lexer.index += 1
    }
    var nanoseconds: Int64 = 0
    if lexer.peek() == ":", lexer.peek(1).map(Self.isDigit) ?? false {
      lexer.index += 1
      nanoseconds = lexer.signedInteger() ?? -1
    }
    guard let seconds = Self.seconds(parts), (0..<1_000_000_000).contains(nanoseconds) else {
      throw error("there is no such date", at: index)
    }
    self = lexer
    return .literal(.date(FilterDate.written(seconds: seconds, nanoseconds: Int32(nanoseconds))))
  }

  /// The seconds since 1970 of a year, month, day, hour, minute and second in the time of Greenwich; nil if there are
  /// none.
  private static func seconds(_ parts: [Int64]) -> Int64? {
    guard (1...262_143).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2]),
      (0..<24).contains(parts[3]), (0..<60).contains(parts[4]), (0..<60).contains(parts[5])
    else { return nil }
    // Days of the proleptic Gregorian calendar, by years that begin in March.
    let year = parts[1] > 2 ? parts[0] : parts[0] - 1
    let month = (parts[1] + 9) % 12
    let leapDays = year / 4 - year / 100 + year / 400
    let days = 365 * year + leapDays + (153 * month + 2) / 5 + parts[2] - 1 - 719_468
    return days * 86_400 + parts[3] * 3_600 + parts[4] * 60 + parts[5]
  }

  /// Reads `T100:0`, seconds since 1970 and nanoseconds of the same sign.
  private mutating func secondsAndNanoseconds() throws(FilterSyntaxError) -> FilterDate? {
    guard peek() == "T" else { return nil }
    var lexer = self
    lexer.index += 1
    guard lexer.isAtInteger, let seconds = lexer.signedInteger(), lexer.peek() == ":" else { return nil }
    lexer.index += 1
    guard lexer.isAtInteger, let nanoseconds = lexer.signedInteger(), nanoseconds.magnitude < 1_000_000_000,
      seconds.signum() * nanoseconds.signum() >= 0
    else {
      throw error("a date T… needs seconds and nanoseconds of one sign, such as T100:0", at: index)
    }
    self = lexer
    return FilterDate.written(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private var isAtInteger: Bool {
    let sign = peek() == "-" || peek() == "+" ? 1 : 0
    return peek(sign).map(Self.isDigit) ?? false
  }

  /// Reads `B64"aGVsbG8="`: text if the bytes are UTF-8, otherwise data.
  private mutating func base64() throws(FilterSyntaxError) -> FilterLiteral? {
    guard peek() == "B", peek(1) == "6", peek(2) == "4", peek(3) == "\"" else { return nil }
    let start = index
    index += 3
    let encoded = try string(closing: "\"")
    guard let data = Data(base64Encoded: encoded) else {
      throw error("the text in B64\"…\" is not Base64", at: start)
    }
    return String(validating: data, as: UTF8.self).map { .text($0) } ?? .data(data)
  }

  /// Reads `uuid(01234567-89ab-cdef-0123-456789abcdef)` or `oid(…)` with 24 hexadecimal digits.
  private mutating func identifier() throws(FilterSyntaxError) -> FilterLiteral? {
    let start = index
    var lexer = self
    while let scalar = lexer.peek(), Self.isWordPart(scalar) { lexer.index += 1 }
    // A longer one is none of these, and comparing it may take long.
    guard lexer.index - start <= 8 else { return nil }
    let word = lexer.text(from: start).lowercased()
    guard ["uuid", "oid", "objectid"].contains(word), lexer.peek() == "(" else { return nil }
    lexer.index += 1
    let first = lexer.index
    while let scalar = lexer.peek(), scalar != ")" { lexer.index += 1 }
    let content = lexer.text(from: first)
    guard lexer.peek() == ")" else { throw error("the parenthesis has no closing )", at: first - 1) }
    lexer.index += 1
    if word == "uuid" {
      guard let uuid = UUID(uuidString: content) else {
        throw error("\(content) is no UUID such as 01234567-89ab-cdef-0123-456789abcdef", at: first)
      }
      self = lexer
      return .uuid(uuid)
    }
    guard content.utf8.count == 24, content.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw error("an object id has 24 hexadecimal digits", at: first)
    }
    self = lexer
    return .objectID(content.lowercased())
  }
}
