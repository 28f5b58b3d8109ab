/// The numbers that a pattern gives to its characters, from 1; any other character is 0.
struct WildcardSymbols: Sendable {
  /// The number that stands for any character.
  static let any: Int32 = -1

  private var numbers: [ComparedText: Int32] = [:]
  /// The numbers of ASCII characters.
  private var ascii = [Int32](repeating: 0, count: 128)

  subscript(_ character: Character) -> Int32 { numbers[ComparedText(character)] ?? 0 }

  subscript(_ byte: UInt8) -> Int32 { ascii[Int(byte & 0x7F)] }

  /// Whether a byte between others like it is a character: ASCII, but for carriage returns, which are one character
  /// with a newline after them.
  static func isCharacter(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }

  mutating func number(_ character: Character) -> Int32 {
    let key = ComparedText(character)
    if let number = numbers[key] { return number }
    let number = Int32(truncatingIfNeeded: numbers.count + 1)
    numbers[key] = number
    if let byte = character.utf8.first, character.utf8.count == 1 { ascii[Int(byte)] = number }
    return number
  }
}

/// Divides a pattern with wildcards into its segments.
struct WildcardParser {
  let folding: PatternFolding
  private(set) var segments: [[Int32]] = [[]]
  private(set) var symbols = WildcardSymbols()
  private var literal = ""

  init(folding: PatternFolding) { self.folding = folding }

  mutating func parse(_ pattern: String) {
    var isEscaped = false
    for character in pattern {
      // A wildcard stands for a character, and a mark behind the wildcard makes it another character.
      let byte = character.utf8.count == 1 ? character.utf8.first : nil
      let isSpecial = byte.map(#"\?*"#.utf8.contains) ?? false
      if isEscaped {
        if !isSpecial { literal.append("\\") }
        literal.append(character)
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "?"):
        endLiteral()
        segments[segments.count - 1].append(WildcardSymbols.any)
      case UInt8(ascii: "*"):
        endLiteral()
        segments.append([])
      default: literal.append(character)
      }
    }
    if isEscaped { literal.append("\\") }
    endLiteral()
  }

  private mutating func endLiteral() {
    for character in folding.fold(literal) {
      segments[segments.count - 1].append(symbols.number(character))
    }
    literal = ""
  }
}
