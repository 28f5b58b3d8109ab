import Foundation

/// Finds a part in texts in linear time.
///
/// Characters are compared as `==` and `hasPrefix` compare them. Where part and text are ASCII without carriage
/// returns (which are one character with a newline after them), bytes are compared.
struct TextSearch: Sendable {
  private let characters: PatternSearch<ComparedText>
  private let bytes: PatternSearch<UInt8>?

  init(_ part: String) {
    characters = PatternSearch(part.map(ComparedText.init))
    bytes = part.utf8.allSatisfy(Self.isPlain) ? PatternSearch(Array(part.utf8)) : nil
  }

  /// Whether the text contains the part; every text contains the empty part.
  ///
  /// - Complexity: O(length of the text).
  func isPart(of text: String) -> Bool {
    var text = text
    let answer = bytes.flatMap { bytes in
      text.withUTF8 { $0.allSatisfy(Self.isPlain) ? bytes.isPart(of: $0) : nil }
    }
    return answer ?? characters.isPart(of: text.lazy.map(ComparedText.init))
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte < 0x80 && byte != 0x0D }
}

extension Data {
  /// Whether the data contains a part; all data contains the empty part.
  ///
  /// - Complexity: O(length); Foundation's search takes the product of both lengths.
  func contains(part: Data) -> Bool { PatternSearch(Array(part)).isPart(of: self) }
}

/// The algorithm of Knuth, Morris and Pratt ("Fast Pattern Matching in Strings", 1977): it reads the text once,
/// without going back.
private struct PatternSearch<Element: Equatable & Sendable>: Sendable {
  private let pattern: [Element]
  /// For each position in the pattern, the length of the longest proper prefix that ends there.
  private let fallbacks: [Int]

  init(_ pattern: [Element]) {
    self.pattern = pattern
    var fallbacks = [Int](repeating: 0, count: pattern.count)
    var matched = 0
    for index in pattern.indices.dropFirst() {
      while matched > 0, pattern[index] != pattern[matched] { matched = fallbacks[matched - 1] }
      if pattern[index] == pattern[matched] { matched += 1 }
      fallbacks[index] = matched
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
