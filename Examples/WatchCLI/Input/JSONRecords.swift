import LiveStore

/// Finds the values in a text of JSON that is not one object a line: values over several lines, several on one, behind record
/// separators (RFC 7464), or the elements of arrays.
///
/// It is given whole lines, and keeps the text of a value until it ends:
/// ```
/// … {"id":1,⏎ "a":[1,2],⏎
///   start              place      depth 1: a value that goes on
/// ```
/// Where a value ends is known by brackets and quotation marks. A line that was cut off would so take all that follow it: so the
/// beginning of a value is parsed whenever it has become twice as long, and at once if a line ends within a string. Then the
/// first line is bad, and reading goes on at the second. Each byte is read O(1) times for each level that values may nest.
package struct JSONRecords {
  /// What is found.
  package enum Record {
    /// A value, between these places, which begins on a line.
    case value(Range<Int>, line: Int)
    /// A line that begins no value.
    case mistake(String, line: Int)
  }

  /// The lines that have been read and not given out, each with a newline.
  package private(set) var bytes: [UInt8] = []
  /// Where the value begins that is read, or the blanks before it, and up to where it has been read.
  private var (start, place) = (0, 0)
  /// The number of the line at `start`.
  private var line = 0
  /// Whether a value has begun, and whether it is a bracket or string, and what of these is open.
  private var (hasBegun, isScalar, depth, isInString, isEscaped) = (false, false, 0, false, false)
  /// The number of the line with the `[` of the array whose elements are read.
  private var arrayLine: Int?
  /// How many arrays have ended whose elements were read.
  private(set) var arrayCount = 0
  /// Where the value that was given out last begins, and on which line.
  private var last = (start: 0, line: 0)
  /// How long the beginning of the value was when it was parsed last.
  private var parsed = 0

  private static let longest = 1 << 28

  /// At the beginning of a text.
  package init() {}

  /// Whether the next line is not by itself.
  var isOpen: Bool { start < bytes.count || arrayLine != nil }

  /// Takes in a line.
  ///
  /// - Parameter number: the number of the line.
  package mutating func add(_ text: UnsafeRawBufferPointer, _ number: Int) {
    if start == bytes.count { clear(number) }
    release()
    bytes.append(contentsOf: text)
    bytes.append(0x0A)
    SurrogateHalves.replace(in: &bytes, from: bytes.count - text.count - 1)
  }

  /// Releases what has been given out, where a line always ends one value and begins the next: O(1) a byte over all calls.
  private mutating func release() {
    guard start > bytes.count / 2 else { return }
    bytes.removeFirst(start)
    place -= start
    start = 0
  }

  private mutating func clear(_ number: Int) {
    bytes.removeAll(keepingCapacity: bytes.count < 1 << 20)
    (start, place, line) = (0, 0, number)
  }

  /// The next value or mistake; nil if there is none without further lines.
  package mutating func next() -> Record? {
    while place < bytes.count {
      if !hasBegun {
        // No object begins so: an array that was cut off is followed by another.
        if let begin = arrayLine, begin < line, bytes[place] == UInt8(ascii: "[") {
          (arrayLine, start) = (nil, place)
          return .mistake("the array has no closing ], or has arrays, which are no objects", line: begin)
        }
        if skipBetween() { continue }
        (hasBegun, start, parsed) = (true, place, 0)
        isScalar = !Self.isOpening(bytes[place])
      }
      if let record = isScalar ? readScalar() : readValue() { return record }
    }
    guard hasBegun else {
      start = bytes.count
      return nil
    }
    if place - start > Self.longest { return mistake("the value is longer than \(Self.longest) bytes") }
    if place - start >= 2 * parsed, let error = errorSoFar { return mistake(error) }
    return nil
  }

  /// Says what is left at the end of the text; then `next()` may find more. Nil if nothing is left.
  mutating func finish() -> Record? {
    if hasBegun { return mistake("the value does not end") }
    guard let begin = arrayLine else { return nil }
    arrayLine = nil
    return .mistake("the array has no closing ]", line: begin)
  }

  /// Takes the value that was given out last for a mistake: reading goes on at the line behind the one where it begins.
  mutating func reject(_ reason: String) -> Record {
    (start, line) = last
    return mistake(reason)
  }

  private static func isOpening(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x1E
  }

  /// Reads a byte between values; false at the first byte of one, which is not read.
  private mutating func skipBetween() -> Bool {
    let byte = bytes[place]
    if Self.isBlank(byte) {
      if byte == 0x0A { line += 1 }
    } else if arrayLine != nil, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
      if byte == UInt8(ascii: "]") { (arrayLine, arrayCount) = (nil, arrayCount + 1) }
    } else if arrayLine == nil, byte == UInt8(ascii: "[") {
      arrayLine = line
    } else {
      return false
    }
    place += 1
    return true
  }

  /// Reads on in a bracket or string.
  private mutating func readValue() -> Record? {
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if isInString {
        if byte == 0x0A { return mistake("a string does not end in its line") }
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
      }
      if depth == 0, !isInString { return value() }
    }
    return nil
  }

  /// Reads a number, a word, or what is no JSON.
  private mutating func readScalar() -> Record? {
    repeat { place += 1 } while place < bytes.count && !Self.endsScalar(bytes[place])
    return value()
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    isBlank(byte) || isOpening(byte)
      || [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte)
  }

  private mutating func value() -> Record {
    last = (start, line)
    let range = start..<place
    line += bytes[range].count { $0 == 0x0A }
    begin(at: place)
    return .value(range, line: last.line)
  }

  /// Says what is wrong with the line at `start` by itself, or else a reason.
  private mutating func mistake(_ reason: String) -> Record {
    let number = line
    var error: JSONSyntaxError?
    do throws(JSONSyntaxError) {
      _ = try JSONValue(parsing: bytes[start...].prefix { $0 != 0x0A })
    } catch let mistake {
      error = mistake
    }
    skipLine()
    return .mistake(error?.description ?? reason, line: number)
  }

  /// Goes to the line behind the one at `start`.
  private mutating func skipLine() {
    if arrayLine == line { arrayLine = nil }
    line += 1
    begin(at: bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count)
  }

  private mutating func begin(at place: Int) {
    (start, self.place) = (place, place)
    (hasBegun, depth, isInString, isEscaped) = (false, 0, false, false)
  }

  /// Why nothing that follows can make a value of what has been read of one.
  private var errorSoFar: String? {
    mutating get {
      parsed = place - start
      do throws(JSONSyntaxError) {
        _ = try JSONValue(parsing: bytes[start..<place])
        return nil
      } catch {
        return error.column > parsed ? nil : error.description
      }
    }
  }
}

/// Halves of surrogate pairs that stand alone, which other readers of JSON take for U+FFFD.
enum SurrogateHalves {
  /// Writes `\uFFFD` in the place of each escape of one.
  ///
  /// - Complexity: O(length)
  static func replace(in bytes: inout [UInt8], from start: Int) {
    var index = start
    while let escape = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
      index = escape + 2
      guard let half = half(bytes, escape) else { continue }
      index = escape + 6
      if half < 0xDC00, let other = Self.half(bytes, index), other >= 0xDC00 {
        index += 6
      } else {
        bytes.replaceSubrange(escape..<index, with: "\\uFFFD".utf8)
      }
      if index >= bytes.count { return }
    }
  }

  /// The half of a pair that an escape is; nil if it is another escape, or none.
  private static func half(_ bytes: [UInt8], _ place: Int) -> Int? {
    guard place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u"),
      let code = Int(String(decoding: bytes[place + 2..<place + 6], as: UTF8.self), radix: 16),
      0xD800..<0xE000 ~= code
    else { return nil }
    return code
  }
}
