extension String {
  /// How many marks a letter may have in text from outside that the standard library hashes or compares.
  static let maximumMarks = 1_000

  /// Whether a letter has more marks: the standard library hashes and compares such a text in quadratic time.
  ///
  /// - Complexity: O(*n*).
  var hasManyMarks: Bool {
    guard utf8.count > Self.maximumMarks else { return false }
    var count = 0
    return unicodeScalars.contains { scalar in
      count = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
      return count > Self.maximumMarks
    }
  }
}
