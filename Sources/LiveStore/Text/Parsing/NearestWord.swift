/// Finds the word that was probably meant by a misspelt one.
package enum NearestWord {
  /// The word that differs from another by the fewest letters, and by few in proportion to its length; of several, the
  /// first one. Upper and lower case are alike.
  package static func find(_ written: String, in words: some Sequence<String>) -> String? {
    let word = Array(written.lowercased().utf8)
    guard word.count >= 2, word.count <= 40 else { return nil }
    let tolerance = word.count < 5 ? 1 : 2
    var nearest: (distance: Int, word: String)?
    for candidate in words {
      let letters = Array(candidate.lowercased().utf8)
      guard abs(letters.count - word.count) <= tolerance else { continue }
      let distance = distance(word, letters)
      if distance <= tolerance, distance < nearest?.distance ?? .max { nearest = (distance, candidate) }
    }
    return nearest?.word
  }

  /// The fewest insertions, removals, replacements and swaps of neighbours that change one word into the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var (before, row) = ([Int](), Array(0...right.count))
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var least = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          least = min(least, before[j - 1] + 1)
        }
        next.append(least)
      }
      (before, row) = (row, next)
    }
    return row[right.count]
  }
}
