import Foundation
import LiveStore
import TestSupport
import Testing

@Suite struct `Regular expressions` {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    try RegularPattern(pattern).matches(text)
  }

  /// What each part of the syntax means: a pattern, texts that match, texts that do not.
  private static let syntax: [(pattern: String, matching: [String], others: [String])] = [
    ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc"]), ("a|bc|", ["a", "bc", ""], ["abc", "b"]),
    (#"\t\n\r\f\a\e"#, ["\t\n\r\u{C}\u{7}\u{1B}"], ["tnrfae"]),
    (#"\0101\x41\x{41}\u0041\U00000041"#, ["AAAAA"], ["A"]),
    (#"\cA\x4"#, ["\u{1}\u{4}"], []), (#"\Qa.*\E."#, ["a.*x"], ["abbx"]), (#"\Qa.*"#, ["a.*"], ["a"]),
    (#"\.\*\-\é"#, [".*-é"], []), (".", ["a", "é", "\u{1F600}"], ["\n", "\r", "\u{2028}", "", "ab"]),
    ("(?s).", ["\n", "\r", "\r\n"], ["\n\r"]), (#"\R"#, ["\r\n", "\n", "\r", "\u{85}"], ["\n\r", "a"]),
    (#"\R\n"#, ["\n\n", "\r\n\n"], ["\r\n"]), (#"\d\D"#, ["1a", "٣a"], ["a1", "²a"]),
    (#"\w\W"#, ["_ ", "é-"], ["-a"]), (#"\s\S"#, [" a", "\u{85}a"], ["a "]),
    (#"\h\H"#, ["\ta", "\u{A0}a"], ["\na"]),
    (#"\v\V"#, ["\u{B}a"], ["aa"]), ("[abc]", ["a", "c"], ["d", ""]), ("[^a-c]", ["d", "\n"], ["b"]),
    ("[]a]", ["]", "a"], []), ("[^]a]", ["b"], ["]"]), ("[a-]", ["-"], ["b"]), ("[-a]", ["-"], []),
    ("[a-c-e]", ["b", "-", "e"], ["d"]), (#"[a&\[-]"#, ["a", "&", "[", "-"], ["\\"]),
    (#"[\d-z]"#, ["1", "-", "z"], ["m"]),
    (#"[\Qa-c\E]"#, ["a", "-"], ["b"]),
    (#"[\]\-\\]"#, ["]", "-", "\\"], ["a"]), ("[:d]", [":", "d"], ["1"]), (#"[\w-]+"#, ["a-é_1"], [" "]),
    (#"[^\W\d]"#, ["a", "é"], ["1", "-"]), (#"(?i)[\W]"#, ["-"], ["a", "É"]),
    ("(a)(?:b)(?<name>c)", ["abc"], []), ("a(?#comment)b", ["ab"], []),
    ("a?b*c+", ["c", "abbcc"], ["aac", "ab"]),
    ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaa"], ["a"]),
    ("a{1,2}b{0}", ["a", "aa"], ["", "aaa", "ab"]),
    ("a*?b+?c??d{1,2}?", ["abcd", "bdd"], ["acd"]), ("(ab|c){2}", ["abc", "cc", "abab"], ["ab"]),
    ("(a*)*", ["", "aaa"], ["b"]), ("(|a)+b", ["b", "aab"], []), ("^a$", ["a"], ["a\n"]),
    (#"a$\n"#, ["a\n"], []), (#"a\Z\n"#, ["a\n"], []), (#"a\z\n"#, [], ["a\n"]), ("a$b", [], ["ab"]),
    (#"a\n^b"#, [], ["a\nb"]), (#"(?m)a$\n^b"#, ["a\nb"], []), (#"(?m)a$\r\n^b"#, ["a\r\nb"], []),
    (#"\Aa\n\Ab"#, [], ["a\nb"]), (#"a\b-\bb"#, ["a-b"], []), (#"a\Bb"#, ["ab"], []), (#"a\bb"#, [], ["ab"]),
    ("(?i)aé[k-m]", ["AÉL", "aéK"], ["bÉL"]), ("(?i)[^a]", ["b"], ["a", "A"]), ("(?i)ς", ["Σ", "σ"], []),
    ("(?i)ı", ["ı"], ["I", "i"]), ("a(?i)b|c", ["aB", "C"], ["Ab"]), ("(a(?i)b)c", ["aBc"], ["aBC"]),
    ("(?i:a)b", ["Ab"], ["aB"]), ("(?i)a(?-i)b", ["Ab"], ["AB"]), ("(?i-s:.)", ["a"], ["\n"]),
    ("(?x) a b # c\n [ c d ]", ["abc", "abd"], ["ab "]), (#"(?x)a\ +"#, ["a ", "a  "], ["a"]),
    ("e\u{301}+", ["é", "e\u{301}é"], ["e"]), (#"e\u0301"#, ["é", "e\u{301}"], []),
    ("[é]", ["e\u{301}"], ["e"]),
    ("[a-zb-c]", ["y"], ["A"]), (#"\b[é]*"#, ["éé"], ["éü"]), (#"(?m)a\n^"#, [], ["a\n"]),
    ("..", ["ab", "👩\u{200D}"], ["e\u{301}"]),
  ]

  @Test func `each part of the syntax matches what ICU documents`() throws {
    for (pattern, matching, others) in Self.syntax {
      for text in matching { #expect(try matches(pattern, text), "\(pattern) and \(text.debugDescription)") }
      for text in others { #expect(try !matches(pattern, text), "\(pattern) and \(text.debugDescription)") }
    }
  }

  @Test func `literals and classes are folded as texts are`() throws {
    func folded(_ pattern: String, _ text: String, c: Bool, d: Bool) throws -> Bool {
      var options: String.CompareOptions = []
      if c { options.insert(.caseInsensitive) }
      if d { options.insert(.diacriticInsensitive) }
      let text = options.isEmpty ? text : text.folding(options: options, locale: nil)
      return try RegularPattern(pattern, isCaseInsensitive: c, isDiacriticInsensitive: d).matches(text)
    }
    #expect(try folded("STRAßE+", "strasseE", c: true, d: false))
    #expect(try folded("ß{2}", "SSSS", c: true, d: false))
    #expect(try folded("[A-Z]+", "Abc", c: true, d: false))
    #expect(try folded("É[à-ü]e", "Èaé", c: false, d: true))
    #expect(try !folded("É", "e", c: false, d: true))
    #expect(try folded("[É]", "e", c: true, d: true))
    #expect(try !folded("[^é]", "é", c: false, d: true))
    #expect(try !folded("É", "E", c: true, d: false))
    #expect(try RegularPattern("a") == RegularPattern("a"))
    #expect(try RegularPattern("a") != RegularPattern("a", isCaseInsensitive: true))
  }

  @Test func `each error says what is wrong, and where`() {
    let errors: [(pattern: String, offset: Int, words: String)] = [
      ("a(b", 1, "no closing )"), ("ab)", 2, "no opening ("), ("(?i", 0, "no closing )"),
      ("(?#a", 0, "no closing )"),
      ("(?<a", 0, "no closing >"), ("(?<>a)", 0, "no name"), ("(?<1>a)", 3, "letters and digits"),
      ("(?<a>b)(?<a>c)", 7, "two groups named a"), ("(?q)a", 2, "flags are i, s, m and x"),
      ("(?)", 2, "flags"),
      ("a(?=b)", 1, "lookahead"), ("(?!b)", 0, "lookahead"), ("(?<=b)", 0, "lookbehind"),
      ("(?<!b)", 0, "lookbehind"),
      ("(?>a)", 0, "atomic"), ("a*+", 2, "possessive"), ("a{2}+", 4, "possessive"),
      ("*a", 0, "nothing before *"),
      ("a|+", 2, "nothing before +"), ("^*", 1, "nothing before *"), ("a**", 2, "repeated already"),
      ("a{2}{3}", 4, "repeated already"), ("a{", 2, "{n}"), ("a{,2}", 2, "{n}"), ("a{2", 1, "no closing }"),
      ("a{3,2}", 1, "below its minimum"), ("a}", 1, "no opening {"), ("a{10001}", 8, "10000 states"),
      ("a\\", 1, "nothing after the last \\"), ("\\y", 0, "means nothing"), ("(a)\\1", 3, "references"),
      ("\\k<a>", 0, "references"), ("\\G", 0, "not supported"), ("\\X", 0, "not supported"),
      ("\\N{A}", 0, "not supported"),
      ("[\\R]", 1, "not supported"), ("\\u12", 0, "4 digits"), ("\\x", 0, "1 digit"), ("\\08", 0, "1 digit"),
      ("\\x{41", 0, "no closing }"), ("\\ud800", 0, "no Unicode scalar D800"),
      ("\\UFFFFFFFF", 0, "no Unicode scalar"),
      ("\\cé", 0, "ASCII"), ("\\pL", 0, "use \\w"), ("\\P{Greek}", 0, "sets with names"),
      ("[[:alpha:]]", 1, "sets with names"), ("a[:alpha:]", 1, "sets with names"),
      ("[\\p{L}]", 1, "sets with names"),
      ("[a", 0, "no closing ]"), ("[a[b]]", 2, "write \\[ for"), ("[a-[b]]", 3, "a class in a class"),
      ("[]", 0, "no closing ]"),
      ("[z-a]", 2, "ends before it begins"), ("[a-\\d]", 2, "not with a set"),
      ("[a-z&&b]", 4, "write \\& for"),
      ("[a--]", 2, "-- between sets"), ("(?x)[ ]", 4, "no members"), ("👩‍👩‍👧e\u{301}(", 2, "no closing )"),
    ]
    for (pattern, offset, words) in errors {
      let error = #expect(throws: PatternError.self, "\(pattern)") { try RegularPattern(pattern) }
      #expect(error?.offset == offset, "\(pattern): \(error?.description ?? "")")
      #expect(error?.message.contains(words) == true, "\(pattern): \(error?.description ?? "")")
    }
  }

  @Test func `patterns that are too long, too deep or too large are errors`() throws {
    func message(_ pattern: String) -> String? {
      (#expect(throws: PatternError.self) { try RegularPattern(pattern) })?.message
    }
    func nested(_ opening: String, _ closing: String, _ depth: Int) -> String {
      String(repeating: opening, count: depth) + "a" + String(repeating: closing, count: depth)
    }
    #expect(message(String(repeating: "a", count: 10_001)) == "the pattern is longer than 10000 characters")
    #expect(message(nested("(", ")", 101)) == "groups are nested more than 100 deep")
    #expect(message(String(repeating: "|", count: 6_000))?.contains("10000 states") == true)
    #expect(message("(((a{100}){100}){100}){100}")?.contains("10000 states") == true)
    #expect(message("a{99999999999999999999}")?.contains("10000 states") == true)
    #expect(try RegularPattern("(a{0}){99999999999999999999}b").matches("b"))
    #expect(
      try RegularPattern(String(repeating: "a", count: 9_999)).matches(String(repeating: "a", count: 9_999)))
  }

  @Test func `the deepest patterns fit on the stack of a small thread`() {
    let result = Recorder<Bool>()
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let groups = String(repeating: "(", count: 100) + "a" + String(repeating: ")*", count: 100)
      let pattern = try? RegularPattern("(?i)" + groups.dropFirst().dropLast(2) + "[é]")
      result.append(pattern?.matches("aaaÉ") == true)
      isDone.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    isDone.wait()
    #expect(result.events == [true])
  }

  @Test func `a pattern gives up after the steps that it may take, and those of one scalar more`() throws {
    let pattern = try RegularPattern("([a-z ]?){500}x")
    var steps = 0
    let text = String(repeating: "a b ", count: 500)
    #expect(!pattern.matches(text, steps: &steps, maximumSteps: 100_000))
    #expect(steps > 100_000 && steps <= 100_000 + pattern.stateCount)
  }
}
