/// Words that are searched for one after another, the last of which may be the beginning of a word.
package struct SearchTerm: Hashable, Sendable {
  /// At least one.
  let words: [[UInt8]]
  let isPrefix: Bool

  /// Nil if the text has no words.
  init?(_ text: String, isPrefix: Bool) {
    words = WordSplitter.words(in: text)
    self.isPrefix = isPrefix
    if words.isEmpty { return nil }
  }

  private init(word: [UInt8], isPrefix: Bool) {
    words = [word]
    self.isPrefix = isPrefix
  }

  /// A term for each word of a text.
  static func each(in text: String, arePrefixes: Bool) -> [SearchTerm] {
    WordSplitter.words(in: text).map { SearchTerm(word: $0, isPrefix: arePrefixes) }
  }

  /// The keys of each word. A text with the term has one key of each.
  var keys: [ClosedRange<UInt64>] {
    words.enumerated().map { index, word in
      if isPrefix, index == words.count - 1 { return WordKey.keys(beginningWith: word) }
      let key = WordKey.key(of: word)
      return key...key
    }
  }
}
