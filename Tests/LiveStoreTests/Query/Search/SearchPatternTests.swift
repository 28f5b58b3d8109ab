import LiveStore
import TestSupport
import Testing

@Suite struct `Search patterns` {
  @Test(
    arguments: [
      ("", ""), ("  ", ""), ("-", ""), ("\"", ""), ("()", ""), ("or", ""), ("and or AND", ""), ("* & -", ""),
      ("\"\" *", ""),
      ("swift", "swift"), ("Swift  ACTOR", "swift actor"), ("swift and actor", "swift actor"),
      ("a AND b", "a b"),
      ("swift or rust", "swift or rust"), ("or a or or b or", "a or b"), ("a b or c", "(a b) or c"),
      ("(a b) or c", "(a b) or c"), ("a (b or c)", "a (b or c)"), ("(a or b) c", "(a or b) c"),
      ("\"data race\"", "\"data race\""), ("\"data race", "\"data race\""),
      ("“Data race” „x”", "\"data race\" x"),
      ("conc*", "conc*"), ("\"data ra*\"", "\"data ra\"*"), ("\"data ra\"*", "\"data ra\"*"),
      ("*conc", "conc"),
      ("-java", "-java"), ("a -\"b c\" -d*", "a -\"b c\" -d*"), ("- a", "a"), ("a-b", "\"a b\""),
      ("e-mail*", "\"e mail\"*"),
      ("-(a b)", "-(a b)"), ("-(a or b) c", "-(a or b) c"), ("--a", "-a"), ("-(-a)", "a"),
      ("don't", "\"don t\""), ("東京", "\"東 京\""),
      ("a a A", "a"), ("(a", "a"), ("a)b(c", "a b c"), (")))(((", ""), ("((a))", "a"), ("\"or\"", "\"or\""),
      ("-or", "-\"or\""),
      ("a\"b c\"d", "a \"b c\" d"), ("OR*", "or*"), ("x or (y) or ()", "x or y"), ("a\u{301}", "a"),
    ] as [(String, String)])
  func `a pattern is read as a user types it and written as it is understood`(text: String, expected: String)
  {
    let pattern = SearchPattern(text)
    #expect(pattern.description == expected)
    #expect(pattern.isEmpty == expected.isEmpty)
    #expect(SearchPattern(expected) == pattern)
  }

  @Test func `patterns are composed, flat, and equal to what a user types`() {
    typealias P = SearchPattern
    #expect(P.phrase("Data race") == P("\"data race\""))
    #expect(P.phrase("swift") == P("swift"))
    #expect(P.prefix("Conc") == P("conc*"))
    #expect(P.prefix("data ra") == P("\"data ra\"*"))
    #expect(P.words(of: "Tom or -Jerry \"x") == P("tom \"or\" jerry x"))
    #expect(P.prefixes(of: "sw con") == P("sw* con*"))
    #expect(P.all(of: [P("a"), P("b c"), P("")]) == P("a b c"))
    #expect(P.all(of: [P("a or b"), P("c")]) == P("(a or b) c"))
    #expect(P.any(of: [P("a or b"), P("c"), P("")]) == P("a or b or c"))
    #expect(P.any(of: [P("a")]) == P("a"))
    #expect(P("a").excluding(P("b")) == P("a -b"))
    #expect(P("a").excluding(P("")) == P("a"))
    #expect(P("").excluding(P("b")) == P("-b"))
    #expect(
      P.all(of: []).isEmpty && P.any(of: [P(" ")]).isEmpty && P.phrase("!").isEmpty
        && P.words(of: "-").isEmpty)
  }

  @Test func `deep parentheses and long texts are patterns`() {
    #expect(
      SearchPattern(String(repeating: "(", count: 100_000) + "a b" + String(repeating: ")", count: 3))
        .description == "a b")
    #expect(SearchPattern(String(repeating: "(x or (y ", count: 3_000)).isEmpty == false)
    let words = (0..<4_000).map { "w\($0)" }.joined(separator: " ")
    #expect(SearchPattern(words).description == words)
    #expect(SearchPattern("\"\(words)\"") == .phrase(words))
  }

  /// No text is an error, and what is understood of it can be shown and typed again (K6).
  @Test(arguments: Seeds.forSuite(2, thorough: 10))
  func `whatever is typed is a pattern whose description reads as an equal one`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "a", "b", "C*", "é", "東京", "\"", "“", "(", ")", "-", "*", " ", " ", " or ", " AND ", "or", "and", "'",
      ".", "\u{301}", "\u{0}",
      "🎉", "\r\n", "สวัส", "e\u{301}x", "\"x y\"", "-\"x y\"*", "\u{345}", "ﬁ", "NOT",
    ]
    for _ in 0..<600 {
      let text = random.some(of: pieces, upTo: 14).joined()
      let pattern = SearchPattern(text)
      #expect(SearchPattern(pattern.description) == pattern, "\(text.debugDescription): \(pattern)")
    }
  }
}
