import Foundation

/// How text was folded before it is matched: the pattern's own text is folded in the same way.
struct PatternFolding: Hashable, Sendable {
  let isCaseInsensitive: Bool
  let isDiacriticInsensitive: Bool

  /// The text as Foundation folds it, independent of locale.
  func fold(_ text: String) -> String {
    var options: String.CompareOptions = []
    if isCaseInsensitive { options.insert(.caseInsensitive) }
    if isDiacriticInsensitive { options.insert(.diacriticInsensitive) }
    return options.isEmpty ? text : text.folding(options: options, locale: nil)
  }

  /// The ranges, and their members without diacritics.
  ///
  /// - Complexity: O(ranges + letters with diacritics).
  func withoutDiacritics(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    guard isDiacriticInsensitive else { return ranges }
    var result = ranges
    for range in ranges {
      let start = Self.marked.partitionPoint { $0.letter < range.lowerBound }
      let members = Self.marked[start...].prefix { $0.letter <= range.upperBound }
      result += members.map { $0.base...$0.base }
    }
    return result
  }

  /// Letters with diacritics and without them, ascending. Foundation changes no others.
  private static let marked: [(letter: UInt32, base: UInt32)] = (UInt32(0x80)..<0x3000).compactMap {
    letter -> (UInt32, UInt32)? in
    guard let scalar = Unicode.Scalar(letter) else { return nil }
    let folded = String(scalar).folding(options: .diacriticInsensitive, locale: nil).unicodeScalars
    guard folded.count == 1, let base = folded.first?.value, base != letter else { return nil }
    return (letter, base)
  }
}
