extension SearchedText {
  /// The relevance of a row's texts to a pattern, which depends on these two alone (K5).
  ///
  /// For each property and each term it is √(*f* / *n*): the root of the frequency, and the norm of the length, of
  /// Lucene's `ClassicSimilarity`. How rare a word is among all objects does not count: one insertion would change
  /// the rank of every object that has it.
  func relevance(to pattern: SearchPattern, at level: Int?) -> Expr<Double> {
    let matchers = (pattern.part?.terms ?? []).map(SearchTermMatcher.init)
    let readers = readers
    let value: @Sendable (UnsafeRawPointer, ReadContext) -> Double = { row, context in
      readers.reduce(0) { sum, read in
        var counts = TermCounts(matchers)
        read(row, context) { text in
          if context.run?.read(text, isFolded: true, times: matchers.count) != false { counts.add(text) }
        }
        return sum + counts.relevance
      }
    }
    return Expr<Double>(
      source: .path(.relevance(path, Constant(pattern))), accessor: .function(value), level: level)
  }
}

/// How often the texts of a property have each of some terms.
private struct TermCounts {
  private let matchers: [SearchTermMatcher]
  private var occurrences: [Int]
  private var words = 0

  init(_ matchers: [SearchTermMatcher]) {
    self.matchers = matchers
    occurrences = matchers.map { _ in 0 }
  }

  mutating func add(_ text: String) {
    var matchers = matchers
    WordSplitter.forEachWord(in: text) { word in
      words += 1
      for index in matchers.indices where matchers[index].ends(with: word) { occurrences[index] += 1 }
      return true
    }
  }

  var relevance: Double {
    occurrences.reduce(0) { sum, count in
      count == 0 ? sum : sum + (Double(count) / Double(words)).squareRoot()
    }
  }
}
