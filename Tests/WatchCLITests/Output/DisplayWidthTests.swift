import Testing
import livestore_watch

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{302}\u{303}", 1), ("日本語", 6), ("ｱｲｳ", 3),
    ("ＡＢ", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("🇩🇪", 2),
    ("🇩", 1), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("…", 1), ("ﷺ", 1), ("กำ", 2), ("𠀀", 2), ("⌚", 2),
    ("☎", 1), ("☎️", 2), ("\u{3000}", 2), ("ä̈", 1), ("שָׁלוֹם", 4), ("a\u{200D}b", 2),
  ])
  func `a text is as wide as a terminal draws it`(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  private static let texts = [
    "", "a", "abcdefgh", "日本語", "a日b本c", "e\u{301}e\u{301}e\u{301}", "👩‍👩‍👧👩‍👩‍👧", "x👍🏽y", "日\u{301}本",
    "🇩🇪🇫🇷", "1️⃣2️⃣", "한국어",
  ]

  @Test(arguments: texts)
  func `a fitted text has exactly the width asked for, and is cut only if it is too wide`(text: String) {
    for columns in 0...12 {
      for isRight in [false, true] {
        let fitted = text.fitted(to: columns, isRight: isRight)
        #expect(fitted.displayWidth == columns, "\(fitted.debugDescription) in \(columns)")
        let trimmed = String(fitted.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        if text.displayWidth <= columns {
          #expect(
            trimmed == text && fitted.hasPrefix(isRight ? "" : text) && fitted.hasSuffix(isRight ? text : ""))
        } else if columns > 0 {
          #expect(trimmed.last == "…" && text.hasPrefix(trimmed.dropLast()))
        }
      }
    }
  }

  @Test func `the beginning of a long text is found without its end`() {
    let text = String(repeating: "日", count: 2_000_000)
    for _ in 0..<1_000 { #expect(text.fitted(to: 5) == "日日…") }
  }

  /// Bug: whether a character is ASCII was asked, which compares each of its marks with all others: for minutes.
  @Test func `a letter with a million marks is as wide as without them`() {
    #expect(("a" + String(repeating: "\u{301}\u{323}", count: 500_000)).displayWidth == 1)
  }
}
