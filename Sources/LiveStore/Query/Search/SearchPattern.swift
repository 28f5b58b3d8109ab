// Full-text search.
//
// The words of a searchable property (`Property(\.body, .searchable)`) are an inverted index like its
// elements would be, with one difference: a word's key is not its hash alone. It begins with the word's
// first letters, so that words that begin alike are a range of keys. A search (`SearchPattern`) becomes one
// condition for each of its terms, joined as the pattern joins them, so planner, router, sharing and upkeep
// need to know nothing of patterns. A term is a word, the beginning of one, or several words one after
// another.
//
// - **K1** Words are a function of the text (`Words/WordSplitter.swift`), the same for rows and
//   patterns. Canonically equivalent texts, which are equal values, have the same words. Most letters are
//   folded by a table, made with Foundation's folding; a run of letters with any other is folded as a whole.
// - **K2** A key has seven bits of each of the first six scalars and 22 bits of a seeded hash (`WordKey`).
//   Words of one key are listed together, as elements of one hash are (I2), so the prefixes of more than
//   six letters and the words that share a key cost tests, and change no answer.
// - **K3** Each word of a phrase, and each term of a conjunction, gives candidates. The planner uses those
//   with the fewest rows, the router those with the fewest queries; the whole filter is tested again (Q1). A
//   range of several keys lists rows in no order and more than once; they are visited as in I4. A search over
//   all searchable properties has the union of their indexes.
// - **K4** The test of a term splits the row's text again and reads nothing else. So an answer is the same
//   with an index and without, in a transaction, and in a baseline.
// - **K5** Relevance is a function of the row and the pattern, so a live order by it changes where a row
//   changes, and by no more. A weight by how rare a word is (IDF) would move every row that has the word
//   whenever one is inserted.
// - **K6** Every text is a pattern (`SearchParser`), in time linear in its length, and a pattern's
//   description reads as an equal pattern.

/// What a full-text search looks for: words, beginnings of words and phrases, joined by and, or and not.
///
/// ```swift
/// let typed = SearchPattern("swift conc* -java")
/// Post.where { $0.body.search(typed) }
/// Post.where { $0.search(.all(of: [typed, .phrase("data race")])) }
/// ```
/// A pattern from text is read as a user types it into a search field; no text is an error:
///
/// | Text | Finds |
/// | --- | --- |
/// | `swift actor` | both words, in any order |
/// | `swift or rust` | one of them; `or` joins less than words that stand side by side |
/// | `"data race"` | the words one after another |
/// | `conc*` | words that begin so |
/// | `-java`, `-"data race"` | texts without it |
/// | `swift (actor or task)` | what is in parentheses as one part |
///
/// A pattern without words, such as an empty one, restricts nothing: it finds every object. Within another pattern it
/// does not count.
public struct SearchPattern: Hashable, Sendable {
  /// Joins are flat.
  indirect enum Part: Hashable, Sendable {
    case term(SearchTerm)
    case all([Part])
    case any([Part])
    case not(Part)
  }

  /// Nil without words.
  let part: Part?

  init(_ part: Part?) { self.part = part }

  /// What a user typed into a search field.
  ///
  /// An unpaired quotation mark is closed at the end; unpaired parentheses do not count. Of parentheses only
  /// the first 50 levels do.
  /// - Complexity: O(length).
  public init(_ text: String) {
    var parser = SearchParser()
    self = parser.pattern(text)
  }

  /// The words of a text one after another.
  public static func phrase(_ text: String) -> SearchPattern {
    SearchPattern(SearchTerm(text, isPrefix: false).map(Part.term))
  }

  /// The words of a text one after another, of which the last may go on: the word that is still being typed.
  public static func prefix(_ text: String) -> SearchPattern {
    SearchPattern(SearchTerm(text, isPrefix: true).map(Part.term))
  }

  /// All words of a text, in any order; signs and `or` mean nothing in it.
  public static func words(of text: String) -> SearchPattern {
    all(of: SearchTerm.each(in: text, arePrefixes: false).map { SearchPattern(.term($0)) })
  }

  /// Words that begin as the words of a text do, in any order, for a search at every keystroke.
  public static func prefixes(of text: String) -> SearchPattern {
    all(of: SearchTerm.each(in: text, arePrefixes: true).map { SearchPattern(.term($0)) })
  }

  /// What all of some patterns find; those without words do not count.
  public static func all(of patterns: some Sequence<SearchPattern>) -> SearchPattern {
    joined(patterns, Part.all) { if case .all(let parts) = $0 { parts } else { nil } }
  }

  /// What at least one of some patterns finds; those without words do not count.
  public static func any(of patterns: some Sequence<SearchPattern>) -> SearchPattern {
    joined(patterns, Part.any) { if case .any(let parts) = $0 { parts } else { nil } }
  }

  /// What this pattern finds and another does not.
  public func excluding(_ other: SearchPattern) -> SearchPattern {
    SearchPattern.all(of: [self, other.negated])
  }

  var negated: SearchPattern {
    if case .not(let inner) = part { SearchPattern(inner) } else { SearchPattern(part.map(Part.not)) }
  }

  /// Whether it has no words, and finds every object.
  public var isEmpty: Bool { part == nil }

  private static func joined(
    _ patterns: some Sequence<SearchPattern>, _ join: ([Part]) -> Part, _ members: (Part) -> [Part]?
  ) -> SearchPattern {
    var (parts, known): ([Part], Set<Part>) = ([], [])
    for part in patterns.compactMap(\.part) {
      for member in members(part) ?? [part] where known.insert(member).inserted { parts.append(member) }
    }
    return SearchPattern(parts.count > 1 ? join(parts) : parts.first)
  }
}

extension SearchPattern {
  /// Whether a text matches the pattern.
  func isFound(in text: String) -> Bool {
    func isFound(_ part: Part) -> Bool {
      switch part {
      case .term(let term): SearchTermMatcher(term).isFound(in: text)
      case .all(let parts): parts.allSatisfy(isFound)
      case .any(let parts): parts.contains(where: isFound)
      case .not(let part): !isFound(part)
      }
    }
    return part.map(isFound) ?? true
  }
}

extension SearchPattern {
  /// How many terms it has, excluded ones included.
  var termCount: Int {
    func count(_ part: Part) -> Int {
      switch part {
      case .term: 1
      case .all(let parts), .any(let parts): parts.reduce(0) { $0 + count($1) }
      case .not(let part): count(part)
      }
    }
    return part.map(count) ?? 0
  }
}

extension SearchPattern: CustomStringConvertible {
  /// The pattern as a user types it: it reads as an equal pattern.
  public var description: String { part.map { $0.text(isMember: false) } ?? "" }
}

extension SearchPattern.Part {
  fileprivate func text(isMember: Bool) -> String {
    switch self {
    case .term(let term): return term.description
    case .not(let part): return "-" + part.text(isMember: true)
    case .all(let parts), .any(let parts):
      let separator = if case .any = self { " or " } else { " " }
      let text = parts.map { $0.text(isMember: true) }.joined(separator: separator)
      return isMember ? "(\(text))" : text
    }
  }

  /// The terms that are looked for, each once, in order; without excluded terms.
  var terms: [SearchTerm] {
    var (terms, known): ([SearchTerm], Set<SearchTerm>) = ([], [])
    func collect(_ part: SearchPattern.Part) {
      switch part {
      case .term(let term): if known.insert(term).inserted { terms.append(term) }
      case .all(let parts), .any(let parts): parts.forEach(collect)
      case .not: break
      }
    }
    collect(self)
    return terms
  }
}
