/// Finds a part in texts, in time that follows their lengths whatever they hold.
///
/// Characters are compared as `==` and `hasPrefix` compare them. Where part and text are ASCII without carriage
/// returns (which are one character with a newline after them), bytes are compared.
struct TextSearch: Sendable {
  private let characters: PatternSearch<Character>
  private let bytes: PatternSearch<UInt8>?

  init(_ part: String) {
    characters = PatternSearch(Array(part))
    bytes = part.utf8.allSatisfy(Self.isPlain) ? PatternSearch(Array(part.utf8)) : nil
  }

  /// Whether the text holds the part somewhere; every text holds the empty one.
  ///
  /// - Complexity: O(length of the text).
  func isPart(of text: String) -> Bool {
    guard let bytes else { return characters.isPart(of: text) }
    var text = text
    let answer = text.withUTF8 { $0.allSatisfy(Self.isPlain) ? bytes.isPart(of: $0) : nil }
    return answer ?? characters.isPart(of: text)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }
}

/// The search of Knuth, Morris and Pratt ("Fast Pattern Matching in Strings", 1977): it goes through what is
/// searched once, and never back.
private struct PatternSearch<Element: Equatable & Sendable>: Sendable {
  private let pattern: [Element]
  /// For each place in the pattern, how long the longest beginning is that ends there and begins later.
  private let fallbacks: [Int]

  init(_ pattern: [Element]) {
    self.pattern = pattern
    var fallbacks = [Int](repeating: 0, count: pattern.count)
    var matched = 0
    for place in pattern.indices.dropFirst() {
      while matched > 0, pattern[place] != pattern[matched] { matched = fallbacks[matched - 1] }
      if pattern[place] == pattern[matched] { matched += 1 }
      fallbacks[place] = matched
    }
    self.fallbacks = fallbacks
  }

  func isPart(of text: some Sequence<Element>) -> Bool {
    if pattern.isEmpty { return true }
    var matched = 0
    for element in text {
      while matched > 0, element != pattern[matched] { matched = fallbacks[matched - 1] }
      if element == pattern[matched] { matched += 1 }
      if matched == pattern.count { return true }
    }
    return false
  }
}
