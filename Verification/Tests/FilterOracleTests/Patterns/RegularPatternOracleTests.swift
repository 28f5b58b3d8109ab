import Foundation
import LiveStore
import TestSupport
import Testing

/// A regular expression as its definition has it.
private indirect enum Expression {
  case letter(Character)
  case any
  case both(Expression, Expression)
  case either(Expression, Expression)
  case repeated(Expression, Int, Int?)

  init(_ random: inout SplitMix64, depth: Int) {
    switch depth == 0 ? random.int(0...2) : random.int(0...8) {
    case 0, 1: self = .letter(random.pick(["a", "b"]))
    case 2: self = .any
    case 3, 4: self = .either(Self(&random, depth: depth - 1), Self(&random, depth: depth - 1))
    case 5, 6:
      let minimum = random.int(0...2)
      let maximum = random.chance(1, in: 2) ? nil : minimum + random.int(0...2)
      self = .repeated(Self(&random, depth: depth - 1), minimum, maximum)
    default: self = .both(Self(&random, depth: depth - 1), Self(&random, depth: depth - 1))
    }
  }

  var pattern: String {
    switch self {
    case .letter(let letter): return String(letter)
    case .any: return "."
    case .both(let first, let second): return first.pattern + second.pattern
    case .either(let first, let second): return "(\(first.pattern)|\(second.pattern))"
    case .repeated(let part, let minimum, let maximum):
      let quantifier =
        switch (minimum, maximum) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        default: "{\(minimum),\(maximum.map(String.init) ?? "")}"
        }
      return "(?:\(part.pattern))\(quantifier)"
    }
  }

  /// Where a match can end that begins at one of some places.
  func ends(in text: [Character], from starts: Set<Int>) -> Set<Int> {
    switch self {
    case .letter(let letter):
      return Set(starts.filter { $0 < text.count && text[$0] == letter }.map { $0 + 1 })
    case .any: return Set(starts.filter { $0 < text.count }.map { $0 + 1 })
    case .both(let first, let second): return second.ends(in: text, from: first.ends(in: text, from: starts))
    case .either(let first, let second):
      return first.ends(in: text, from: starts).union(second.ends(in: text, from: starts))
    case .repeated(let part, let minimum, let maximum):
      var last = starts
      for _ in 0..<minimum { last = part.ends(in: text, from: last) }
      var all = last
      for _ in 0..<(maximum.map { $0 - minimum } ?? text.count + 1) {
        last = part.ends(in: text, from: last)
        all.formUnion(last)
      }
      return all
    }
  }
}

/// A random expression of ICU's syntax. ICU stops a loop at an empty round, and so finds fewer matches than there are:
/// what can be empty is not repeated.
private struct RandomPattern {
  let text: String
  let canBeEmpty: Bool

  private static let takers = [
    "a", "b", "A", ".", #"\w"#, #"\d"#, #"\s"#, "[ab]", "[^a]", #"\n"#, #"\r"#, #"\R"#, "é", #"\u0301"#, "1",
    " ",
    "-", "[a-c]", #"[\w-]"#, #"[^\W_]"#, #"[\s\d]"#, #"\W"#, #"[^\r]"#, #"\v"#, #"[^\s\w]"#, "[A-Z]",
    "[^A-Z]",
  ]
  private static let tests = [
    "^", "$", #"\b"#, #"\B"#, #"\Z"#, #"\z"#, #"\A"#, "(?i)", "(?s)", "(?m)", "(?-i)", "",
  ]

  init(_ text: String, canBeEmpty: Bool) {
    self.text = text
    self.canBeEmpty = canBeEmpty
  }

  init(_ random: inout SplitMix64, depth: Int) {
    switch depth == 0 ? random.int(0...3) : random.int(0...9) {
    case 0...2: self.init(random.pick(Self.takers), canBeEmpty: false)
    case 3: self.init(random.pick(Self.tests), canBeEmpty: true)
    case 4:
      let (first, second) = (Self(&random, depth: depth - 1), Self(&random, depth: depth - 1))
      self.init("(\(first.text)|\(second.text))", canBeEmpty: first.canBeEmpty || second.canBeEmpty)
    case 5:
      let part = Self(&random, depth: depth - 1)
      let quantifier =
        part.canBeEmpty ? "" : random.pick(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "*?"])
      self.init(
        "(?:\(part.text))\(quantifier)",
        canBeEmpty: part.canBeEmpty || ["*", "?", "{0,1}", "*?"].contains(quantifier))
    case 6:
      let part = Self(&random, depth: depth - 1)
      self.init(
        random.pick(["(?i:", "(?s:", "(?m:", "(?-s:", "(", "(?sm-i:"]) + part.text + ")",
        canBeEmpty: part.canBeEmpty)
    default:
      let (first, second) = (Self(&random, depth: depth - 1), Self(&random, depth: depth - 1))
      self.init(first.text + second.text, canBeEmpty: first.canBeEmpty && second.canBeEmpty)
    }
  }
}

@Suite struct `Regular expressions and other matchers` {
  @Test(arguments: Seeds.forSuite(4, thorough: 40))
  func `random expressions match the texts that their definition says`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<150 {
      let expression = Expression(&random, depth: 4)
      let pattern = try RegularPattern(expression.pattern)
      for _ in 0..<10 {
        let text = (0..<random.int(0...7)).map { _ in random.pick(["a", "b", "é"] as [Character]) }
        #expect(
          pattern.matches(String(text)) == expression.ends(in: text, from: [0]).contains(text.count),
          "seed \(seed): \(expression.pattern), \(String(text))")
      }
    }
  }

  @Test(arguments: Seeds.forSuite(4, thorough: 40))
  func `random patterns match the texts that NSRegularExpression matches`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters = [
      "a", "b", "c", "A", "\n", "\r", "\r\n", " ", "1", "é", "\u{301}", "-", "\u{2028}", "B", "_",
    ]
    for _ in 0..<300 {
      let pattern = RandomPattern(&random, depth: 4).text
      let ours = try RegularPattern(pattern)
      let other = try NSRegularExpression(pattern: #"\A(?:"# + pattern + #")\z"#)
      for _ in 0..<8 {
        let text = (0..<random.int(0...5)).map { _ in random.pick(letters) }.joined()
          .precomposedStringWithCanonicalMapping
        let range = NSRange(location: 0, length: text.utf16.count)
        #expect(
          ours.matches(text) == (other.firstMatch(in: text, range: range) != nil),
          "seed \(seed): \(pattern), \(text.debugDescription)")
      }
    }
  }
}

@Suite struct `Regular expressions made to hurt` {
  /// Steps for each character of 100,000.
  private func steps(_ pattern: String, matches: Bool = false, _ letter: String = "a") throws -> Double {
    let text = String(repeating: letter, count: 100_000)
    var steps = 0
    #expect(try RegularPattern(pattern).matches(text, steps: &steps) == matches, "\(pattern)")
    return Double(steps) / 100_000
  }

  @Test(arguments: [
    "(a+)+b", "(a|aa)+b", "(a|a)*b", "(a*)*b", "(.*)*b", ".*.*.*=", "(a|b|ab)*c", "(x+x+)+y|(a*a*)*b",
    "((a{1,3}){1,3}){1,3}b|(a?)*b", "([a-z]+)*\\d", "^(\\w+\\s?)*$ ", "(?i)(A+)+B", "(\\b|a)*b",
  ])
  func `a pattern with exponentially many ways to match takes few steps for each character`(pattern: String)
    throws
  {
    #expect(try steps(pattern) <= 60)
    #expect(try steps(pattern, "é") <= 60)
  }

  @Test func `counted repetition takes at most one step for each state and character`() throws {
    let text = String(repeating: "a", count: 300)
    var steps = 0
    #expect(try RegularPattern("(?:a?){300}a{300}").matches(text, steps: &steps))
    #expect(steps <= 301 * 902)
  }

  @Test func `patterns that match a long text take few steps, too`() throws {
    #expect(try steps("(a|aa)+", matches: true) <= 20)
    #expect(try steps(#"(\w|[^\d])*"#, matches: true, "é") <= 20)
  }
}
