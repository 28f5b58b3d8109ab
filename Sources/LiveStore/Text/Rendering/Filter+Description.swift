extension Filter: CustomStringConvertible {
  /// The filter as text, which `Filter(format:)` reads as an equal filter: `likeCount >= 10 AND title CONTAINS[cd] "tea"`.
  ///
  /// A filter that cannot be written as text, see ``format``, is shown in Swift syntax.
  public var description: String { format ?? tree.simplified.description }

  /// The filter as text that reads as an equal filter; nil for a filter that no text can say.
  ///
  /// ```swift
  /// let popular = Filter<Post> { $0.likeCount >= 10 }
  /// if let text = popular.format { try print(Filter<Post>(format: text) == popular) }
  /// ```
  /// Closures, predicates that are evaluated, values of types of your own, and filters that nest deeper than
  /// a text may have no text. Properties have one if the schema lists them, by the name that it gives them.
  /// - Complexity: O(length of the text), which is written and read.
  public var format: String? {
    let simplified = tree.simplified
    // Only the whole filter names the values of omitted parts.
    let written = tree.named(notIn: simplified).isEmpty ? simplified : tree
    guard let text = (try? FilterSyntax(written.term))?.text, (try? Filter(format: text)) == self else {
      return nil
    }
    return text
  }
}
