/// A pattern with wildcards, as LIKE has it: `?` is one character, `*` any number of them, none included.
///
/// - The whole text must match. A character is what a reader sees (`Character`), compared as `==` compares it, so the
///   normal form of a text does not matter.
/// - `\?`, `\*` and `\\` are the second of the two characters. Any other backslash is itself.
/// - Texts are expected as Foundation folds them for the pattern's options, independent of locale; the pattern is
///   folded here. So `?` is one character of the folded text: "ß" folds to "ss", which are two.
///
/// Between its stars, a pattern is a list of segments. The first is at the beginning of the text, the last at its end.
/// Each other one is searched for where the one before it ended: its first place is as good as any later one, since
/// it leaves the most text for the rest. So no place is looked at twice.
package struct WildcardPattern: Sendable {
  /// The pattern as it was given.
  package let pattern: String
  private let folding: PatternFolding
  private let first: WildcardSegment
  /// The segments between two stars, none of them empty.
  private let middle: [WildcardSegment]
  /// The segment after the last star; nil if there is no star.
  private let last: WildcardSegment?
  private let symbols: WildcardSymbols

  /// A pattern for texts that are folded for the same options.
  ///
  /// - Complexity: O(length of the pattern).
  package init(_ pattern: String, isCaseInsensitive: Bool = false, isDiacriticInsensitive: Bool = false) {
    self.pattern = pattern
    folding = PatternFolding(
      isCaseInsensitive: isCaseInsensitive, isDiacriticInsensitive: isDiacriticInsensitive)
    var parser = WildcardParser(folding: folding)
    parser.parse(pattern)
    let segments = parser.segments
    symbols = parser.symbols
    first = WildcardSegment(segments[0])
    middle = segments.dropFirst().dropLast().filter { !$0.isEmpty }.map(WildcardSegment.init)
    last = segments.count > 1 ? segments.last.map(WildcardSegment.init) : nil
  }

  /// Whether the whole text, which is folded already, matches.
  ///
  /// - Complexity: O(length of the text × length of the longest segment ÷ 64), at least O(length of the text).
  package func matches(_ text: String) -> Bool {
    var steps = 0
    return matches(text, steps: &steps)
  }

  /// As `matches`, and adds to `steps` how many comparisons of characters, or of up to 64 of them, it took.
  ///
  /// - Parameter maximumSteps: after how many steps it gives up, and returns false; `steps` is then above it.
  package func matches(_ text: String, steps: inout Int, maximumSteps: Int = .max) -> Bool {
    let bytes = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy(WildcardSymbols.isCharacter) ? bytes.map { symbols[$0] } : nil
    }
    return matches((bytes ?? nil) ?? text.map { symbols[$0] }, &steps, maximumSteps)
  }

  private func matches(_ text: [Int32], _ steps: inout Int, _ maximumSteps: Int) -> Bool {
    guard let last else { return text.count == first.count && first.isIn(text, at: 0, &steps) }
    let end = text.count - last.count
    guard end >= first.count, first.isIn(text, at: 0, &steps), last.isIn(text, at: end, &steps) else {
      return false
    }
    var place = first.count
    for segment in middle {
      guard let next = segment.firstEnd(in: text, place..<end, &steps, maximumSteps) else { return false }
      place = next
    }
    return true
  }
}

extension WildcardPattern: Hashable {
  package static func == (lhs: WildcardPattern, rhs: WildcardPattern) -> Bool {
    lhs.folding == rhs.folding && lhs.pattern == rhs.pattern
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(folding)
    hasher.combine(pattern)
  }
}
