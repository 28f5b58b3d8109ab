extension SearchTerm: CustomStringConvertible {
  /// The term as a user types it.
  package var description: String {
    let text = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    let isPlain = words.count == 1 && (isPrefix || SearchParser.joiner(text) == nil)
    return (isPlain ? text : "\"\(text)\"") + (isPrefix ? "*" : "")
  }
}

/// Finds a term among the words of a text, which it is given one by one.
///
/// The algorithm of Knuth, Morris and Pratt ("Fast Pattern Matching in Strings", 1977), with words for letters, for all
/// words but the last; the last is compared by itself, since it may be the beginning of a word.
struct SearchTermMatcher: Sendable {
  private let first: ArraySlice<[UInt8]>
  private let last: [UInt8]
  private let isPrefix: Bool
  /// For each of the first words, how many of them are the longest proper beginning that ends there.
  private let fallbacks: [Int]
  /// How many of the first words precede the next word.
  private var matched = 0

  init(_ term: SearchTerm) {
    first = term.words.dropLast()
    last = term.words[term.words.count - 1]
    isPrefix = term.isPrefix
    var fallbacks = [Int](repeating: 0, count: first.count)
    var matched = 0
    for index in first.indices.dropFirst() {
      while matched > 0, first[index] != first[matched] { matched = fallbacks[matched - 1] }
      if first[index] == first[matched] { matched += 1 }
      fallbacks[index] = matched
    }
    self.fallbacks = fallbacks
  }

  /// Takes the next word of the text.
  ///
  /// - Returns: whether the term ends with it.
  /// - Complexity: O(length of the word) amortised.
  mutating func ends(with word: [UInt8]) -> Bool {
    let isFound = matched == first.count && (isPrefix ? word.starts(with: last) : word == last)
    if first.isEmpty { return isFound }
    if matched == first.count { matched = fallbacks[matched - 1] }
    while matched > 0, first[matched] != word { matched = fallbacks[matched - 1] }
    if first[matched] == word { matched += 1 }
    return isFound
  }

  /// Whether a text has the term.
  ///
  /// - Complexity: O(length of the text).
  func isFound(in text: String) -> Bool {
    var matcher = self
    var isFound = false
    WordSplitter.forEachWord(in: text) { word in
      isFound = matcher.ends(with: word)
      return !isFound
    }
    return isFound
  }
}
