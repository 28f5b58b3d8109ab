extension String {
  /// Whether both have the same bytes, as names are the same to a server.
  func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// How many marks a letter may have of an id, or of a text that is hashed or compared when it is decoded.
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

extension Decodable {
  /// Whether decoding hashes texts, as a set does, or compares them, as an enumeration does to find the case of a name. Both take
  /// time quadratic in the marks of a letter.
  static var hashesOrCompares: Bool {
    // What is smaller than a text keeps none.
    self is any HashedElements.Type
      || self is any RawRepresentable.Type && MemoryLayout<Self>.size < MemoryLayout<String>.size
  }
}

/// A type that hashes the elements that it is decoded of.
private protocol HashedElements {}

extension Set: HashedElements {}
