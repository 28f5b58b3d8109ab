extension Expr where Value: SearchableText {
  /// Whether the words of the text match a search as a user types it: `$0.body.search("swift conc*")`.
  ///
  /// Words, `"phrases"`, `prefixes*`, `-exclusions`, `or` and parentheses; see ``SearchPattern``. Case and diacritics do
  /// not count. A missing text is one without words.
  ///
  /// With ``PropertyOption/searchable``, only objects with the rarest of the words are tested. A live query tests only
  /// changes of objects with one of the words in either case, unless it only excludes.
  /// - Parameter text: the search, of any form; empty text finds every object.
  /// - Complexity: O(length of the text) a row.
  public func search(_ text: String) -> Expr<Bool> { search(SearchPattern(text)) }

  /// Whether the words of the text match a pattern.
  ///
  /// - Complexity: O(length of the text) a row.
  public func search(_ pattern: SearchPattern) -> Expr<Bool> {
    Expr<Bool>(SearchedText(self).filter(pattern), at: level)
  }

  /// How well the text matches a search as a user types it, from 0; see ``relevance(to:)-(SearchPattern)``.
  public func relevance(to text: String) -> Expr<Double> { relevance(to: SearchPattern(text)) }

  /// How well the text matches a pattern, from 0, to sort by.
  ///
  /// ```swift
  /// Post.where { $0.search(text) }
  ///   .sorted(.descending) { $0.title.relevance(to: text) * 3 + $0.body.relevance(to: text) }
  /// ```
  /// It is the sum of √(*f* / *n*) over the terms of the pattern that are not excluded, for a term that occurs *f* times
  /// in a text of *n* words. So a word counts for more in a short text, and each further occurrence for less.
  /// - Complexity: O(length of the text · terms) a row.
  public func relevance(to pattern: SearchPattern) -> Expr<Double> {
    SearchedText(self).relevance(to: pattern, at: level)
  }
}

extension Row {
  /// Whether the words of the searchable properties match a search as a user types it, each in any of them:
  /// `Post.where { $0.search("swift conc*") }`.
  ///
  /// A phrase is found within one property; an excluded word is in none of them. Properties that are named `search` or
  /// `relevance` themselves are `$0[\.search]` and `$0[\.relevance]`.
  /// - Parameter text: the search, of any form; empty text finds every object. See ``SearchPattern``.
  /// - Precondition: the schema has a property that is ``PropertyOption/searchable``.
  /// - Complexity: O(length of the texts) a row.
  public func search(_ text: String) -> Expr<Bool> { search(SearchPattern(text)) }

  /// Whether the words of the searchable properties match a pattern, each in any of them.
  ///
  /// - Precondition: the schema has a property that is ``PropertyOption/searchable``.
  /// - Complexity: O(length of the texts) a row.
  public func search(_ pattern: SearchPattern) -> Expr<Bool> {
    Expr<Bool>(SearchedText(of: Element.self).filter(pattern), at: level)
  }

  /// The sum of the relevance of the searchable properties; see ``Expr/relevance(to:)-(SearchPattern)``.
  ///
  /// - Precondition: the schema has a property that is ``PropertyOption/searchable``.
  public func relevance(to text: String) -> Expr<Double> { relevance(to: SearchPattern(text)) }

  /// The sum of the relevance of the searchable properties; see ``Expr/relevance(to:)-(SearchPattern)``.
  ///
  /// - Precondition: the schema has a property that is ``PropertyOption/searchable``.
  /// - Complexity: O(length of the texts · terms) a row.
  public func relevance(to pattern: SearchPattern) -> Expr<Double> {
    SearchedText(of: Element.self).relevance(to: pattern, at: level)
  }
}

extension Query {
  /// Orders by relevance to a search in the searchable properties, the most relevant first; see
  /// ``Row/relevance(to:)-(String)``.
  ///
  /// ```swift
  /// Post.where { $0.search(text) }.sorted(byRelevanceTo: text).limit(20)
  /// ```
  /// - Parameter text: the search; empty text leaves the order unchanged.
  public func sorted(byRelevanceTo text: String) -> Query { sorted(byRelevanceTo: SearchPattern(text)) }

  /// Orders by relevance to a pattern in the searchable properties, the most relevant first.
  ///
  /// - Parameter pattern: the pattern; without words it leaves the order unchanged.
  public func sorted(byRelevanceTo pattern: SearchPattern) -> Query {
    if pattern.isEmpty { return self }
    return sorted(.descending) { $0.relevance(to: pattern) }
  }
}
