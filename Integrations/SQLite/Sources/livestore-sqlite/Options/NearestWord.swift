/// Finds what was probably meant by a name that is not there.
package enum NearestWord {
  /// `(did you mean likeCount?)` behind a blank, or nothing.
  static func hint(_ name: String, among names: some Sequence<String>) -> String {
    find(name, among: names).map { " (did you mean \($0)?)" } ?? ""
  }

  /// The name that differs by the fewest letters, and by few at all. Upper and lower case are alike.
  package static func find(_ name: String, among names: some Sequence<String>) -> String? {
    let word = Array(name.lowercased().unicodeScalars)
    let tolerance = word.count < 5 ? 1 : 2
    var nearest: (distance: Int, name: String)?
    for candidate in names {
      let letters = Array(candidate.lowercased().unicodeScalars)
      guard word.count <= 100, abs(letters.count - word.count) <= tolerance else { continue }
      let distance = distance(word, letters)
      if distance <= tolerance, distance < nearest?.distance ?? .max { nearest = (distance, candidate) }
    }
    return nearest?.name
  }

  /// The fewest insertions, removals, replacements and exchanges of neighbours that make one word of the other.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var (last, row) = ([Int](), Array(0...right.count))
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var best = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, last[j - 1] + 1)
        }
        next.append(best)
      }
      (last, row) = (row, next)
    }
    return row[right.count]
  }
}
