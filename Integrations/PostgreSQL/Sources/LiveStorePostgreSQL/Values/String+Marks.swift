extension String {
  /// Whether both have the same bytes, as names are the same to a server.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// How many marks a letter may have of an id, or of a text that is not read as a text alone, or a list of texts.
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
