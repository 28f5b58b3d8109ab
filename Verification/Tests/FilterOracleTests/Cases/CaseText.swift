import Foundation

/// What tests of text see: characters, folded as Foundation folds. Comparisons see scalars instead.
struct CaseText: Sendable, Equatable {
  let characters: [Character]

  /// `options` has the letters of `[c]`, `[d]` or `[cd]`.
  init(_ text: String, _ options: String = "") {
    var folding: String.CompareOptions = []
    if options.contains("c") { folding.insert(.caseInsensitive) }
    if options.contains("d") { folding.insert(.diacriticInsensitive) }
    var composed = text.precomposedStringWithCanonicalMapping
    if !folding.isEmpty {
      composed = composed.folding(options: folding, locale: nil).precomposedStringWithCanonicalMapping
    }
    characters = Array(composed)
  }

  /// The order by the scalars of the canonical composition.
  static func order(_ left: String, _ right: String) -> Int? {
    let left = left.precomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
    let right = right.precomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  func contains(_ other: CaseText) -> Bool {
    let count = other.characters.count
    if count > characters.count { return false }
    return (0...(characters.count - count)).contains {
      characters[$0..<$0 + count].elementsEqual(other.characters)
    }
  }

  func beginsWith(_ other: CaseText) -> Bool { characters.starts(with: other.characters) }

  func endsWith(_ other: CaseText) -> Bool { characters.reversed().starts(with: other.characters.reversed()) }

  /// Whether wildcards match the whole text: `?` one character, `*` any number, a backslash takes the next as it is.
  func isLike(_ pattern: CaseText) -> Bool { Self.matches(characters[...], pattern.characters[...]) }

  private static func matches(_ text: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*": return (text.startIndex...text.endIndex).contains { matches(text[$0...], rest) }
    case "?": return !text.isEmpty && matches(text.dropFirst(), rest)
    case "\\" where !rest.isEmpty:
      return text.first == rest.first && matches(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && matches(text.dropFirst(), rest)
    }
  }

  /// Whether a relation holds for a text and a constant, which is folded once.
  static func test(
    _ relation: String, _ options: String, _ constant: String
  ) -> @Sendable (String?) -> Bool {
    let constant = CaseText(constant, options)
    return { text in text.map { CaseText($0, options).holds(relation, constant) } ?? false }
  }

  /// Whether a text relation holds, by its name in filters.
  static func holds(_ relation: String, _ options: String, _ text: String, _ other: String) -> Bool {
    CaseText(text, options).holds(relation, CaseText(other, options))
  }

  private func holds(_ relation: String, _ other: CaseText) -> Bool {
    switch relation {
    case "CONTAINS": contains(other)
    case "BEGINSWITH": beginsWith(other)
    case "ENDSWITH": endsWith(other)
    case "LIKE": isLike(other)
    default: self == other
    }
  }
}
