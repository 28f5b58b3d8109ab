import LiveStore
import TestSupport
import livestore_watch

/// Makes texts of filters: valid ones, and ones that went wrong.
struct FilterMaker {
  var random: SplitMix64

  mutating func text() -> String {
    var text = filter(depth: 0)
    if random.chance(1, in: 300) {
      let depth = random.pick([150, 199, 200, 201, 2_000])
      let (opening, closing) = random.pick([("(", ")"), ("NOT ", ""), ("! (", ")"), ("(", "")])
      text = String(repeating: opening, count: depth) + text + String(repeating: closing, count: depth)
    }
    if random.chance(1, in: 2) { mutate(&text) }
    return text
  }

  mutating func filter(depth: Int) -> String {
    switch random.int(0...(depth < 4 ? 8 : 4)) {
    case 5: return "\(random.pick(["NOT ", "!", "not "]))\(filter(depth: depth + 1))"
    case 6: return "(\(filter(depth: depth + 1)))"
    case 7, 8:
      let word = random.pick([" AND ", " OR ", " && ", "||", " and ", " or "])
      let isLong = random.chance(1, in: 4)
      return (0..<random.int(isLong ? 8...14 : 2...4)).map { _ in
        isLong ? alternative(depth: depth + 1) : filter(depth: depth + 1)
      }.joined(separator: word)
    default: return comparison()
    }
  }

  /// A member of a long chain, most of which ask for a value of the same few paths.
  private mutating func alternative(depth: Int) -> String {
    let path = random.pick(["a", "a", "b", "c.d.0"])
    switch random.int(0...9) {
    case 0: return filter(depth: depth)
    case 1: return "(\(path) == \(value()) AND \(comparison()))"
    case 2: return "(\(comparison()) AND \(path) IN \(list(0...3)) AND \(comparison()))"
    case 3: return "NOT \(path) == \(value())"
    case 4: return "\(path) != \(value())"
    case 5: return "\(path) CONTAINS \(string())"
    case 6: return "\(path) < \(value())"
    default: return "\(path) == \(value())"
    }
  }

  private mutating func comparison() -> String {
    if random.chance(1, in: 30) { return random.pick(["TRUEPREDICATE", "FALSEPREDICATE"]) }
    let left = random.chance(4, in: 5) ? path() : value()
    switch random.int(0...9) {
    case 0: return "\(left) IN \(random.chance(1, in: 4) ? path() : list(0...4))"
    case 1: return "\(left) BETWEEN \(list(2...2))"
    case 2, 3:
      let word = random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "contains"])
      return
        "\(left) \(word)\(random.pick(["", "", "[c]", "[d]", "[cd]"])) \(random.chance(1, in: 6) ? path() : string())"
    default:
      let symbol = random.pick(["==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "==[c]", "!=[cd]"])
      return "\(left) \(symbol) \(random.chance(1, in: 6) ? path() : value())"
    }
  }

  private mutating func path() -> String {
    random.pick([
      "id", "a", "b", "c", "a.b", "c.d.0", "b.1", "#and", "#a.b", "first-name", "é", "$x", "any", "#x-1",
    ])
  }

  private mutating func list(_ count: ClosedRange<Int>) -> String {
    "{\((0..<random.int(count)).map { _ in value() }.joined(separator: random.pick([",", ", "])))}"
  }

  private mutating func value() -> String {
    random.chance(1, in: 3)
      ? string()
      : random.pick([
        "0", "1", "-1", "1.0", "+2", "2.5", "1e2", ".5", "true", "false", "nil", "NULL", "YES", "no", "1e400",
        "-1e400",
        "12345678901234567890123", "0.1",
      ])
  }

  private mutating func string() -> String {
    let text = (0..<random.int(0...3)).map { _ in
      random.pick([
        "a", "B", "é", "e\u{301}", "ß", "\u{301}", " ", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\'", "\\\"",
        "\\\\", "İ", "1",
      ])
    }
    let quote = random.pick(["'", "\""])
    return "\(quote)\(text.joined())\(quote)"
  }

  private mutating func mutate(_ text: inout String) {
    var scalars = Array(text.unicodeScalars)
    for _ in 0..<random.int(1...3) {
      let place = random.int(0...scalars.count)
      let end = min(scalars.count, place + random.int(0...6))
      switch random.int(0...4) {
      case 0: scalars.removeSubrange(place...)
      case 1: scalars.removeSubrange(place..<end)
      case 2: scalars.insert(contentsOf: scalars[place..<end], at: random.int(0...scalars.count))
      default: scalars.insert(contentsOf: Array(random.pick(Self.tokens).unicodeScalars), at: place)
      }
    }
    text = String(String.UnicodeScalarView(scalars))
  }

  private static let tokens = [
    "(", ")", "{", "}", "[", "]", "[c]", "[x]", "'", "\"", "\\", "“", "%@", "%", "$1", "@", "@count", ".",
    "..", ",", "-", "--", "+", "*",
    "**", "/", "=", "===", "=!", "&", "|", "&&", "!", "#", "SELF", "ANY ", "ALL ", "LIKE ", "MATCHES ",
    "STARTSWITH ", "INCLUDES", "NAN",
    "INFINITY", "-INF", "f(", "SORT", "LIMIT", "\n", "\r\n", "\r", "\t", "\0", "\u{7}", "\u{1B}[31m",
    "\u{85}", "\u{2028}", "\u{FEFF}",
    "\u{301}", "\\u12", "\\ud800", "\\\n", "\\\u{85}", "👩‍👩‍👧", "01", "1e999999999", "é", "NOT", "AND", "OR",
    "IN", "BETWEEN", "\u{FFFD}",
  ]
}

/// Documents that filters distinguish.
enum FilterDocuments {
  static let all: [Document] = {
    let values: [JSONValue] = [
      nil, false, true, 0, 1, -1, 2.5, 1e2, "", "a", "B", "é", "e\u{301}", "aB", "ß", "\u{301}a", "İ", [],
      [1, "a", nil], [:],
      ["b": 1, "d": ["a", 2]], ["b": "é"], ["d": [[1]]],
    ]
    return values.enumerated().map { index, value in
      let body: JSONValue = [
        "id": JSONValue(index), "a": value, "b": values[(index * 7 + 3) % values.count],
        "c": ["d": values[(index * 5 + 1) % values.count]], "and": value, "first-name": "a",
        "é": JSONValue(index % 3), "any": 1,
      ]
      return Document(id: body["id"], body: body)
    }
  }()
}
