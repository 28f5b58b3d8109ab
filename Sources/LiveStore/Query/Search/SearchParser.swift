/// Reads what a user types into a search field. Every text is a pattern (K6).
///
/// Words side by side are joined by and; `or` joins less. Open parentheses are a stack, so that no text is too deep.
struct SearchParser {
  /// The words that join others. They are searched for in quotation marks.
  static let joiners: Set<String> = ["and", "or"]

  /// The word as a joiner, in any case; nil if it is none. A long word is none, and takes long to hash.
  static func joiner(_ word: String) -> String? {
    guard word.utf8.count <= 3 else { return nil }
    let folded = word.lowercased()
    return joiners.contains(folded) ? folded : nil
  }
  private static let quotes: Set<Unicode.Scalar> = ["\"", "“", "”", "„", "‟"]
  private static let maximumDepth = 50

  /// The contents of parentheses, or of the whole text.
  private struct Level {
    var alternatives: [SearchPattern] = []
    var current: [SearchPattern] = []
    /// Whether a hyphen stands before the parentheses.
    var isExcluded = false

    var pattern: SearchPattern {
      let pattern = SearchPattern.any(of: alternatives + [.all(of: current)])
      return isExcluded ? pattern.negated : pattern
    }
  }

  private var levels = [Level()]
  /// Whether a hyphen stands before the next part.
  private var isExcluded = false

  mutating func pattern(_ text: String) -> SearchPattern {
    var scalars = text.unicodeScalars[...]
    while let first = scalars.first {
      if first.properties.isWhitespace {
        scalars.removeFirst()
        isExcluded = false
      } else if first == "-" {
        scalars.removeFirst()
        isExcluded = true
      } else if first == "(" || first == ")" {
        scalars.removeFirst()
        if first == "(" { open() } else { close() }
      } else if Self.quotes.contains(first) {
        let quotedScalars = scalars.dropFirst().prefix { !Self.quotes.contains($0) }
        scalars = scalars[quotedScalars.endIndex...].dropFirst()
        let isPrefix = scalars.first == "*" || quotedScalars.last == "*"
        add(SearchTerm(String(quotedScalars), isPrefix: isPrefix))
      } else {
        let word = scalars.prefix {
          !$0.properties.isWhitespace && $0 != "(" && $0 != ")" && !Self.quotes.contains($0)
        }
        scalars = scalars[word.endIndex...]
        add(word: String(word))
      }
    }
    while levels.count > 1 { close() }
    return levels[0].pattern
  }

  private mutating func add(word: String) {
    if !isExcluded, let joiner = Self.joiner(word) {
      if joiner == "or" { startAlternative() }
    } else {
      add(SearchTerm(word, isPrefix: word.unicodeScalars.last == "*"))
    }
  }

  private mutating func add(_ term: SearchTerm?) {
    guard let term else { return }
    let pattern = SearchPattern(.term(term))
    levels[levels.count - 1].current.append(isExcluded ? pattern.negated : pattern)
    isExcluded = false
  }

  private mutating func startAlternative() {
    let last = levels.count - 1
    levels[last].alternatives.append(.all(of: levels[last].current))
    levels[last].current = []
  }

  private mutating func open() {
    if levels.count <= Self.maximumDepth { levels.append(Level(isExcluded: isExcluded)) }
    isExcluded = false
  }

  private mutating func close() {
    isExcluded = false
    guard levels.count > 1 else { return }
    let pattern = levels.removeLast().pattern
    levels[levels.count - 1].current.append(pattern)
  }
}
