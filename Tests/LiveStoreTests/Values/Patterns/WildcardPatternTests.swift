import Foundation
import LiveStore
import TestSupport
import Testing

private func isLike(_ text: String, _ pattern: String) -> Bool { passes(text, .like, pattern, []) == true }

/// All texts of some characters up to a length.
private func all(_ characters: [String], upTo length: Int) -> [String] {
  var (result, longest) = ([""], [""])
  for _ in 0..<length {
    longest = longest.flatMap { text in characters.map { text + $0 } }
    result += longest
  }
  return result
}

@Suite struct `Patterns with wildcards` {
  @Test func `every short pattern matches the texts that the definition says, and no others`() {
    let texts = all(["a", "b", "?", "*", "\\"], upTo: 3)
    for pattern in all(["a", "b", "?", "*", "\\"], upTo: Environment.size(3, thorough: 4)) {
      let compiled = WildcardPattern(pattern)
      let wrong = texts.first { compiled.matches($0) != isLike($0, pattern) }
      #expect(wrong == nil, "\(pattern) and \(wrong ?? "")")
    }
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 40))
  func `random patterns match the texts that the definition says, in ASCII and beyond, short and long`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    let letters = ["a", "b", "a", "é", "e\u{301}", "\r\n", "👩‍👩‍👧", "e"]
    for _ in 0..<300 {
      let isASCII = random.chance(1, in: 2)
      let known = isASCII ? ["a", "b"] : letters
      let text = (0..<random.int(0...40)).map { _ in random.pick(known) }.joined()
      // A pattern from the text itself, so that many match: characters left out, and wildcards for others.
      var pattern = ""
      for character in text {
        switch random.int(0...19) {
        case 0: pattern += "*"
        case 1...3: pattern += "?"
        case 4: pattern += String(character) + "*"
        case 5 where random.chance(1, in: 6): pattern += random.pick(known)
        default: pattern.append(character)
        }
      }
      #expect(
        WildcardPattern(pattern).matches(text) == isLike(text, pattern),
        "seed \(seed): \(pattern.debugDescription), \(text.debugDescription)")
    }
  }

  @Test(arguments: Seeds.forSuite(2, thorough: 40))
  func `long segments are found where the definition finds them`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let segment = (0..<random.int(17...150)).map { _ in
        random.chance(1, in: 40) ? "c" : random.pick(["a", "b", "?", "a", "a"])
      }.joined()
      let text = (0..<random.int(0...60)).map { _ in random.pick(["a", "b"]) }.joined()
      let found = segment.map { $0 == "?" ? random.pick(["a", "b"]) : String($0) }.joined()
      for candidate in [text + found, text + found + text, text, found, text + found.dropLast()] {
        let pattern = "*" + segment + "*"
        #expect(
          WildcardPattern(pattern).matches(candidate) == isLike(candidate, pattern),
          "seed \(seed): \(pattern), \(candidate)")
      }
    }
  }

  @Test func `a question mark is one character as a reader sees it, in any normal form`() {
    #expect(WildcardPattern("?").matches("e\u{301}"))
    #expect(WildcardPattern("?").matches("👩‍👩‍👧"))
    #expect(WildcardPattern("?").matches("\r\n"))
    #expect(!WildcardPattern("??").matches("e\u{301}"))
    #expect(WildcardPattern("caf\u{e9}*").matches("cafe\u{301}s"))
    #expect(!WildcardPattern("cafe*").matches("cafe\u{301}s"))
    #expect(WildcardPattern("*\r\n*").matches("a\r\nb"))
    #expect(!WildcardPattern("*\n*").matches("a\r\nb"))
  }

  @Test func `a backslash makes a wildcard or a backslash literal, and is itself before others`() {
    #expect(WildcardPattern(#"\*\?\\"#).matches(#"*?\"#))
    #expect(!WildcardPattern(#"\*"#).matches("a"))
    #expect(WildcardPattern(#"\a"#).matches(#"\a"#))
    #expect(WildcardPattern(#"a\"#).matches(#"a\"#))
    #expect(WildcardPattern(#"\\*"#).matches(#"\abc"#))
  }

  @Test func `a pattern is folded as its texts are`() {
    let text = "Straße É".folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    #expect(
      WildcardPattern("STRASSE ?", isCaseInsensitive: true, isDiacriticInsensitive: true).matches(text))
    #expect(
      WildcardPattern("*ß É", isCaseInsensitive: true, isDiacriticInsensitive: true).matches("aßé") == false)
    #expect(WildcardPattern("É*", isDiacriticInsensitive: true).matches("Ea"))
    #expect(!WildcardPattern("É*").matches("Ea"))
    #expect(WildcardPattern("A") != WildcardPattern("A", isCaseInsensitive: true))
    #expect(WildcardPattern("\u{e9}") == WildcardPattern("e\u{301}"))
  }

  @Test func `patterns made to hurt take few steps for each character of the text`() {
    let length = Environment.size(10_000, thorough: 100_000)
    let text = String(repeating: "a", count: length)
    func steps(_ pattern: String) -> Int {
      var steps = 0
      #expect(!WildcardPattern(pattern).matches(text, steps: &steps), "\(pattern.prefix(20))")
      return steps
    }
    #expect(steps(String(repeating: "*a", count: length / 100) + "*b") < 10)
    #expect(steps(String(repeating: "*a", count: length / 100) + "*b*") < 2 * length)
    #expect(steps("*aaaaaaaab*") <= 9 * length)
    #expect(steps("*" + String(repeating: "a", count: 5_000) + "b*") <= 79 * length)
    #expect(steps("*" + String(repeating: "?a", count: 2_500) + "b*") <= 79 * length)
  }

  @Test(arguments: ["*aaaaaaaab*", "*?aab*", "*" + String(repeating: "?a", count: 100) + "b*"])
  func `a pattern gives up after the steps that it may take`(pattern: String) {
    var steps = 0
    let text = String(repeating: "a", count: 10_000)
    #expect(!WildcardPattern(pattern).matches(text, steps: &steps, maximumSteps: 1_000))
    #expect(steps > 1_000 && steps < 1_100)
  }
}
