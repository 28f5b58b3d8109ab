import LiveStore
import TestSupport
import Testing

/// Tests of text against patterns, by the laws that hold for any text.
@Suite struct `Made up texts and patterns` {
  private static let options: [TextOptions] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]

  private static let letters = [
    "a", "A", "b", "é", "e", "e\u{301}", "E\u{301}\u{327}", "ß", "SS", "İ", "i", "ı", "ﬁ", "한",
    "\u{1112}\u{1161}\u{11AB}", "👩‍👩‍👧", "🇦🇹", "\r\n",
    "\n", "\0", "%", "_", "*", "?", ".", "\\", "(", "[", "\u{FEFF}",
  ]

  @Test func `made up texts obey the laws of prefixes, suffixes and substrings`() async {
    await Fuzzing.run("texts and patterns", inputs: 800) { random in
      func text(_ count: Int) -> String {
        (0..<random.int(0...count)).map { _ in random.pick(Self.letters) }.joined()
      }
      let (head, middle, tail) = (text(3), text(3), text(3))
      for options in Self.options {
        func holds(_ test: TextTest, _ text: String, _ pattern: String) -> Bool {
          test.matcher(pattern, options)(text)
        }
        let whole = head + middle + tail
        let name = "\(whole.debugDescription) \(options)"
        for test in [TextTest.contains, .beginsWith, .endsWith] {
          try require(holds(test, whole, whole), "\(test): \(name) and itself")
          try require(holds(test, whole, ""), "\(test): \(name) and nothing")
        }
        for pattern in [head, middle, tail, text(2)] {
          let (begins, ends) = (holds(.beginsWith, whole, pattern), holds(.endsWith, whole, pattern))
          try require(
            !begins && !ends || holds(.contains, whole, pattern),
            "\(name) begins or ends with \(pattern.debugDescription)")
          try require(
            !holds(.contains, whole, pattern) || options.fold(whole).count >= options.fold(pattern).count,
            "\(name) is shorter than \(pattern.debugDescription)")
        }
        // Joining texts may join their characters, which then are others; so a separator stands between.
        let joined = head + " " + middle + " " + tail
        try require(
          holds(.beginsWith, joined, head + " "), "the head of \(joined.debugDescription) \(options)")
        try require(holds(.endsWith, joined, " " + tail), "the tail of \(joined.debugDescription) \(options)")
        try require(
          holds(.contains, joined, " " + middle + " "), "the middle of \(joined.debugDescription) \(options)")
      }
    }
  }
}
