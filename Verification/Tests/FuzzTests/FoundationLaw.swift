import Foundation
import LiveStore
import TestSupport

/// Holds what the parser says against Foundation, where the two read the same language.
///
/// They differ, and are meant to, in:
/// - **Range of numbers.** A number beyond a double's range is an error here; Foundation refuses the large ones and
///   reads the small ones as zero.
/// - **Precision.** Numbers are exact here; Foundation reads a number that fits neither 64 bits nor a double as the
///   nearest double.
/// - **Equal keys.** The last value stands here, at the place of the first.
/// - **Encodings.** UTF-8 without a byte order mark is all that is read here; Foundation guesses UTF-16 and UTF-32 by
///   the first bytes and skips a mark.
/// - **Depth.** 512 levels here.
/// - **Commas.** Foundation reads `[1,]` and some of `{"a":1,}`.
/// - **Long numbers.** Asked for an integer, `JSONDecoder` refuses some numbers between 2⁵³ and 2⁶⁴ that are written with
///   an exponent of less than -128, or ends the process.
/// - **Fractions.** Foundation reads some numbers of more than 2⁵³ with a fraction as an integer beside them.
enum FoundationLaw {
  static func check(_ bytes: [UInt8], _ answer: Result<JSONValue, JSONSyntaxError>) throws {
    if isOtherEncoding(bytes) { return }
    let data = Data(bytes)
    let theirs = Result { try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }
    switch (answer, theirs) {
    case (.success(let value), .success): try check(value, data)
    case (.failure, .failure): break
    case (.failure(let error), .success):
      let isMeant =
        error.reason.hasPrefix("number out of range") || error.reason.hasPrefix("more than 512 levels")
        || ["expected a value, found ]", "expected a key, found }"].contains(error.reason)
          && bytes[..<(error.column - 1)].last { $0 > 0x20 } == UInt8(ascii: ",")
      try require(isMeant, "Foundation reads what is refused with \(error): \(shown(bytes))")
    case (.success(let value), .failure(let error)):
      try require(isDeep(value), "Foundation refuses what is read as \(value): \(error), \(shown(bytes))")
    }
  }

  /// Whether Foundation takes the text for another encoding than UTF-8.
  private static func isOtherEncoding(_ bytes: [UInt8]) -> Bool {
    bytes.prefix(4).contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xFE, 0xFF])
      || bytes.starts(with: [0xFF, 0xFE])
  }

  private static func isDeep(_ value: JSONValue) -> Bool {
    var (depth, level) = (0, [value])
    while !level.isEmpty {
      depth += 1
      level = level.flatMap { value -> [JSONValue] in
        switch value {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
        }
      }
    }
    return depth > 500
  }

  private static func check(_ value: JSONValue, _ data: Data) throws {
    if isDeep(value) || hasEqualKeys(value, Array(data)) || hasLongNumber(data) { return }
    let decoded = try JSONDecoder().decode(JSONValue.self, from: data)
    try require(isAlike(value, decoded), "\(value) is \(decoded) to Foundation")
  }

  /// Whether a text that was read has more members than its value: more colons outside of strings.
  private static func hasEqualKeys(_ value: JSONValue, _ bytes: [UInt8]) -> Bool {
    var (colons, isInString, isEscaped) = (0, false, false)
    for byte in bytes {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: ":") {
        colons += 1
      }
    }
    return colons > members(of: value)
  }

  /// Whether there may be a number of so many characters that it has such an exponent.
  private static func hasLongNumber(_ data: Data) -> Bool {
    data.split { !"0123456789+-.eE".utf8.contains($0) }.contains { $0.count > 100 }
  }

  private static func members(of value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(0) { $0 + members(of: $1) }
    case .object(let object): object.reduce(object.count) { $0 + members(of: $1.value) }
    default: 0
    }
  }

  private static func isNear(_ one: Double, _ other: Double) -> Bool {
    one == other || one.magnitude >= 0x1p53 && (one - other).magnitude <= one.ulp
  }

  /// Whether two values are the same, but for numbers that coders hold as the nearest double.
  static func isAlike(_ value: JSONValue, _ coded: JSONValue) -> Bool {
    switch (value, coded) {
    case (.number(let number), .number(let other)):
      let isWhole = number.integer != nil || UInt64(number.description) != nil
      return number == other || !isWhole && isNear(number.double, other.double)
    case (.array(let elements), .array(let others)):
      return elements.count == others.count && zip(elements, others).allSatisfy(isAlike)
    case (.object(let members), .object(let others)):
      return members.count == others.count
        && members.allSatisfy { member in others[member.key].map { isAlike(member.value, $0) } ?? false }
    default: return value == coded
    }
  }
}
