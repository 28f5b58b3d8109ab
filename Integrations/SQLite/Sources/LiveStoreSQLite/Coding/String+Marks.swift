import LiveStore

extension String {
  /// How many marks a letter may have of a key, or of an element of a set.
  static let maximumMarks = 1_000

  /// Whether a letter has more marks: the standard library hashes and compares such a text in quadratic time.
  ///
  /// - Complexity: O(*n*).
  var hasManyMarks: Bool { hasMarks(beyond: Self.maximumMarks) }

  /// Whether a letter has more marks than a number.
  func hasMarks(beyond maximum: Int) -> Bool {
    guard utf8.count > maximum else { return false }
    var count = 0
    return unicodeScalars.contains { scalar in
      count = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : count + 1
      return count > maximum
    }
  }
}

extension JSONValue {
  var isTextWithManyMarks: Bool { if case .string(let text) = self { text.hasManyMarks } else { false } }
}

/// A type that hashes the elements that it is decoded of.
protocol HashedElements {}

extension Set: HashedElements {}
