import Foundation
import Synchronization

/// Texts as the contract orders and searches them, written with Foundation alone.
enum Texts {
  private static let composed = Mutex<[[UInt8]: [UInt32]]>([:])

  /// The scalars of the canonical composition.
  static func scalars(_ text: String) -> [UInt32] {
    let key = Array(text.utf8)
    return composed.withLock { known in
      if let scalars = known[key] { return scalars }
      // Decomposed first: Foundation leaves a syllable and a final consonant of Hangul apart.
      let whole = text.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
      let scalars = whole.unicodeScalars.map(\.value)
      known[key] = scalars
      return scalars
    }
  }

  /// Negative, zero or positive, by the scalars of the canonical compositions.
  static func order(_ left: String, _ right: String) -> Int {
    let (left, right) = (scalars(left), scalars(right))
    for (one, other) in zip(left, right) where one != other { return one < other ? -1 : 1 }
    return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
  }

  /// A search in texts; `fold` is what the options do first.
  enum Search: CaseIterable, Sendable { case prefix, suffix, part }

  /// The answer, or nil where the contract leaves it open: where characters and scalars disagree.
  static func answer(_ search: Search, _ probe: String, in text: String, fold: String.CompareOptions) -> Bool?
  {
    let (text, probe) =
      fold.isEmpty
      ? (text, probe) : (text.folding(options: fold, locale: nil), probe.folding(options: fold, locale: nil))
    let (all, part) = (scalars(text), scalars(probe))
    let (characters, some) = (Array(text), Array(probe))
    let byScalars: Bool
    let byCharacters: Bool
    switch search {
    case .prefix:
      byScalars = all.starts(with: part)
      byCharacters = characters.starts(with: some)
    case .suffix:
      byScalars = all.reversed().starts(with: part.reversed())
      byCharacters = characters.reversed().starts(with: some.reversed())
    case .part:
      byScalars = part.isEmpty || all.indices.contains { all[$0...].starts(with: part) }
      byCharacters = some.isEmpty || characters.indices.contains { characters[$0...].starts(with: some) }
    }
    return byScalars == byCharacters ? byScalars : nil
  }
}
