import Foundation
import TestSupport
import Testing

import LiveStore

@Suite struct `Words of a text` {
  /// All alphabets, and some of the rest.
  private let scalars = Array(UInt32(0x80)..<0x3400) + stride(from: UInt32(0x3400), to: 0x30000, by: 61)

  private func words(_ text: String) -> [String] {
    WordSplitter.words(in: text).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("", []), (" \t\n", []), ("…—!?", []), ("Hello, World!", ["hello", "world"]),
      ("Café CAFE\u{301} cafe", ["cafe", "cafe", "cafe"]),
      ("don't snake_case e-mail", ["don", "t", "snake", "case", "e", "mail"]),
      ("iOS18.2 x86_64 3.14", ["ios18", "2", "x86", "64", "3", "14"]),
      ("Straße STRASSE", ["strasse", "strasse"]),
      ("“Привет”—Ёлка", ["привет", "елка"]), ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
      ("東京都", ["東", "京", "都"]), ("データ2025年", ["デ", "ー", "タ", "2025", "年"]),
      ("か\u{3099}く がく", ["が", "く", "が", "く"]),
      ("서울특별시 시청", ["서울특별시", "시청"]), ("서울".decomposedStringWithCanonicalMapping, ["서울"]),
      ("สวัสดี", ["ส", "วั", "ส", "ดี"]), ("हिन्दी में", ["हिन्दी", "में"]), ("عربي نص", ["عربي", "نص"]),
      ("inter\u{AD}national می\u{200C}خواهم", ["international", "میخواهم"]),
      ("\u{301}a \u{301}\u{301} b", ["a", "b"]),
      ("Ｆｕｌｌ ½ m²", ["ｆｕｌｌ", "½", "m²"]), ("a🎉b 👩‍💻", ["a", "b"]), ("≮ a\u{338}", ["a"]),
      ("\u{0}a\u{0}", ["a"]),
      (" \u{93F}a \u{3099} \u{20E3}b", ["a", "b"]),
    ] as [(String, [String])])
  func `words are runs of letters and digits, folded; letters of scripts without spaces are words`(
    text: String, expected: [String]
  ) {
    #expect(words(text) == expected)
  }

  /// The table of folded letters is a shorter way to what Foundation folds (K1).
  @Test func `every scalar is folded as Foundation folds it, alone and between letters`() {
    for value in scalars {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else {
        continue
      }
      for text in [String(scalar), "a\(scalar)Bя"] {
        let parts = text.unicodeScalars.split { WordPart($0) == .separator }
        let expected = parts.flatMap { WordSplitter.words(of: String(String.UnicodeScalarView($0))) }
        #expect(WordSplitter.words(in: text) == expected, "U+\(String(value, radix: 16))")
      }
    }
  }

  /// Equal texts are one value to the store, so their words are not compared when one replaces the other (K1).
  @Test func `texts that are canonically equivalent have the same words`() {
    for value in scalars {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "b\(scalar)\u{323}a"
      let other = text.decomposedStringWithCanonicalMapping
      if other.unicodeScalars.elementsEqual(text.unicodeScalars) { continue }
      if text != other { continue }
      #expect(words(text) == words(other), "U+\(String(value, radix: 16))")
    }
  }

  @Test func `a word is its own only word, so a pattern can be written again`() {
    for value in scalars {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for word in words("b\(scalar)a") { #expect(words(word) == [word], "U+\(String(value, radix: 16))") }
    }
  }

  @Test func `words that begin alike are in the range of their beginning, and nearly no others are`() {
    var random = SplitMix64(seed: 1)
    let letters = ["a", "b", "z", "9", "я", "ф", "ש", "東", "京", "한", "𝔘"]
    var (inside, outside) = (0, 0)
    for _ in 0..<4_000 {
      let first = (0..<random.int(1...9)).map { _ in random.pick(letters) }.joined()
      let second =
        random.chance(1, in: 2) ? first + random.some(of: letters, upTo: 4).joined() : random.pick(letters)
      let range = WordKey.keys(beginningWith: Array(first.utf8))
      let holds = range.contains(WordKey.key(of: Array(second.utf8)))
      if second.hasPrefix(first) {
        inside += 1
        #expect(holds, "\(first) \(second)")
      } else if holds {
        outside += 1
      }
    }
    #expect(inside > 1_600 && outside < 300)
    #expect(WordKey.keys(beginningWith: Array("swi".utf8)).contains(WordKey.key(of: Array("swift".utf8))))
    #expect(!WordKey.keys(beginningWith: Array("swi".utf8)).contains(WordKey.key(of: Array("sea".utf8))))
    #expect(!WordKey.keys(beginningWith: Array("при".utf8)).contains(WordKey.key(of: Array("пол".utf8))))
  }

  @Test func `different words have different keys`() {
    let words = (0..<10_000).map { "international\($0)" } + ["a", "aa", "b", "東", "京"]
    #expect(Set(words.map { WordKey.key(of: Array($0.utf8)) }).count > words.count - 40)
  }
}
