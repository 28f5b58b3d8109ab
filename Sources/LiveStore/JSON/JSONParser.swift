// A parser of JSON text, strictly by RFC 8259, over bytes of UTF-8.
//
// Open arrays and objects are on a stack of the parser's own, so depth costs no call stack, and each byte is
// read a fixed number of times. Numbers are exact (`JSONNumber`). Of equal keys in one object the last value
// counts, as in JavaScript and Python. More than `maximumDepth` levels are an error.

extension JSONValue {
  /// How many levels of arrays and objects a text may have.
  package static let maximumDepth = 512

  /// Reads one value from UTF-8 text, which may have blanks around it and nothing else.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    var parser = JSONParser(bytes: bytes)
    self = try parser.document()
  }

  /// Reads one value from the bytes of UTF-8 text, see ``init(parsing:)-(UnsafeRawBufferPointer)``.
  package init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    let contiguous = bytes.withContiguousStorageIfAvailable { Self.parse(UnsafeRawBufferPointer($0)) }
    self = try (contiguous ?? Array(bytes).withUnsafeBytes(Self.parse)).get()
  }

  /// Reads one value from a JSON text, which may have blanks around it and nothing else; its numbers stay exact.
  ///
  /// ```swift
  /// let value = try JSONValue(parsing: #"{"title": "Tea", "price": 3.50}"#)
  /// ```
  /// - Throws: an error that names the byte at which the text is not JSON, or where it nests more than 512 levels deep.
  /// - Complexity: O(*n*) for *n* bytes.
  public init(parsing text: String) throws(JSONSyntaxError) {
    try self.init(parsing: text.utf8)
  }

  /// Reads one value from a JSON text, or refuses it where keys of one object differ by their normalization alone.
  ///
  /// “é” in one and in two characters is one key in Swift, so only one of the two values would be left.
  ///
  /// - Throws: as ``init(parsing:)-(String)``, and for such keys.
  /// - Complexity: O(*n*) for *n* bytes.
  public init(parsing text: String, refusingEquivalentKeys: Bool) throws(JSONSyntaxError) {
    var text = text
    self = try text.withUTF8 { utf8 in
      Result { () throws(JSONSyntaxError) in
        var parser = JSONParser(bytes: UnsafeRawBufferPointer(utf8))
        parser.refusesEquivalentKeys = refusingEquivalentKeys
        return try parser.document()
      }
    }.get()
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) -> Result<JSONValue, JSONSyntaxError> {
    Result { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes) }
  }
}

/// A parser of the bytes of one text.
struct JSONParser {
  let bytes: UnsafeRawBufferPointer
  /// The position of the next byte.
  var index = 0
  /// Whether equal keys of one object with different bytes are an error.
  var refusesEquivalentKeys = false
  /// The arrays and objects that are open, the innermost last.
  private var open: [Container] = []

  init(bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// An array or object whose end has not been read.
  private struct Container {
    let isObject: Bool
    /// The elements of an array.
    var elements: [JSONValue] = []
    /// The members of an object; the last one has its key only until its value is complete.
    var members: [JSONObject.Member] = []

    var value: JSONValue {
      isObject ? .object(JSONObject(members: members)) : .array(elements)
    }
  }

  /// The next byte, or nil at the end.
  var next: UInt8? {
    index < bytes.count ? bytes[index] : nil
  }

  /// An error at the next byte or at a given one.
  func error(_ reason: String, at position: Int? = nil) -> JSONSyntaxError {
    JSONSyntaxError(column: (position ?? index) + 1, reason: reason)
  }

  /// Reads a whole text.
  mutating func document() throws(JSONSyntaxError) -> JSONValue {
    while true {
      guard var value = try openingOrScalar() else { continue }
      // The value is complete: add it to its container, and repeat with each container that it completes.
      repeat {
        guard !open.isEmpty else {
          skipBlanks()
          guard next == nil else { throw unexpected("expected the end") }
          return value
        }
        add(value)
        guard let container = try commaOrClosing() else { break }
        value = container
      } while true
    }
  }

  /// Adds a value to the innermost container.
  private mutating func add(_ value: JSONValue) {
    let innermost = open.count - 1
    if open[innermost].isObject {
      open[innermost].members[open[innermost].members.count - 1].value = value
    } else {
      open[innermost].elements.append(value)
    }
  }

  /// Reads a scalar or an empty container, or opens a container and returns nil.
  private mutating func openingOrScalar() throws(JSONSyntaxError) -> JSONValue? {
    skipBlanks()
    switch next {
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return .number(try number())
    case UInt8(ascii: "{"):
      try push(Container(isObject: true))
      skipBlanks()
      if next == UInt8(ascii: "}") { return try pop() }
      try key(or: "expected a key or }")
      return nil
    case UInt8(ascii: "["):
      try push(Container(isObject: false))
      skipBlanks()
      if next == UInt8(ascii: "]") { return try pop() }
      return nil
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw unexpected("expected a value")
    }
  }

  /// Reads what follows a value in a container: a comma (and a key), then returns nil, or the container's end.
  private mutating func commaOrClosing() throws(JSONSyntaxError) -> JSONValue? {
    skipBlanks()
    let isObject = open[open.count - 1].isObject
    switch next {
    case UInt8(ascii: ","):
      index += 1
      if isObject {
        skipBlanks()
        try key(or: "expected a key")
      }
      return nil
    case UInt8(ascii: "}") where isObject: return try pop()
    case UInt8(ascii: "]") where !isObject: return try pop()
    default: throw unexpected(isObject ? "expected , or }" : "expected , or ]")
    }
  }

  private mutating func push(_ container: Container) throws(JSONSyntaxError) {
    guard open.count < JSONValue.maximumDepth else {
      throw error("more than \(JSONValue.maximumDepth) levels of arrays and objects")
    }
    open.append(container)
    index += 1
  }

  private mutating func pop() throws(JSONSyntaxError) -> JSONValue {
    let container = open.removeLast()
    let value = container.value
    if refusesEquivalentKeys, case .object(let object) = value, object.count < container.members.count {
      let keys = Set(object.map { Array($0.key.utf8) })
      if let member = container.members.first(where: { !keys.contains(Array($0.key.utf8)) }) {
        throw error(
          "two keys are canonically equivalent to \(MessageText.line(member.key)), which is one key in Swift")
      }
    }
    index += 1
    return value
  }

  private mutating func key(or expectation: String) throws(JSONSyntaxError) {
    guard next == UInt8(ascii: "\"") else { throw unexpected(expectation) }
    let key = try string()
    skipBlanks()
    guard next == UInt8(ascii: ":") else { throw unexpected("expected :") }
    index += 1
    open[open.count - 1].members.append(JSONObject.Member(key: key, value: .null))
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    for offset in 0..<word.utf8CodeUnitCount {
      guard index + offset < bytes.count, bytes[index + offset] == word.utf8Start[offset] else {
        throw error("expected \(word)")
      }
    }
    index += word.utf8CodeUnitCount
    return value
  }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  /// An error that names the next byte instead of the expected one.
  private func unexpected(_ expectation: String) -> JSONSyntaxError {
    switch next {
    case nil: error("\(expectation), found the end of the text")
    case let byte? where byte > 0x20 && byte < 0x7F:
      error("\(expectation), found \(Character(Unicode.Scalar(byte)))")
    case let byte?:
      error("\(expectation), found byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))")
    }
  }
}

extension JSONParser {
  /// Reads a number from its first character.
  private mutating func number() throws(JSONSyntaxError) -> JSONNumber {
    let start = index
    var fraction = false
    if next == UInt8(ascii: "-") { index += 1 }
    let whole = index
    try digits("expected a digit")
    if bytes[whole] == UInt8(ascii: "0") && index > whole + 1 {
      throw error("a number may not begin with 0 and a further digit", at: whole)
    }
    if next == UInt8(ascii: ".") {
      fraction = true
      index += 1
      try digits("expected a digit after the point")
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      fraction = true
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try digits("expected a digit in the exponent")
    }
    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    if !fraction, let integer = Self.shortInteger(text) { return integer }
    guard let number = JSONNumber(validated: text) else {
      throw error("number out of range (that of a 64-bit floating-point number)", at: start)
    }
    return number
  }

  private mutating func digits(_ expectation: String) throws(JSONSyntaxError) {
    let start = index
    while let byte = next, Self.isDigit(byte) { index += 1 }
    if index == start { throw unexpected(expectation) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// An integer of at most 18 digits, the common case.
  private static func shortInteger(_ text: UnsafeRawBufferPointer) -> JSONNumber? {
    let isNegative = text.first == UInt8(ascii: "-")
    guard text.count <= 18 + (isNegative ? 1 : 0) else { return nil }
    var value: Int64 = 0
    for byte in text.dropFirst(isNegative ? 1 : 0) { value = value * 10 + Int64(byte - UInt8(ascii: "0")) }
    return JSONNumber(canonical: .integer(isNegative ? -value : value))
  }
}
