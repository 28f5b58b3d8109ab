import LiveStore

/// How objects are grouped, and what is shown of a group.
package struct GroupOptions: Hashable, Sendable {
  /// The paths by whose values objects are grouped; what is missing is null.
  package var paths: [KeyPathText]
  /// Whether the number of objects is shown.
  package var hasCount = true
  /// The paths of which sums are shown.
  package var sums: [KeyPathText] = []

  /// Groups with their counts.
  package init(paths: [KeyPathText]) {
    self.paths = paths
  }

  /// The name under which a sum is shown.
  static func title(ofSum path: KeyPathText) -> String { "sum(\(path.title))" }

  /// The names of a group's values.
  var titles: [String] { paths.map(\.title) + (hasCount ? ["count"] : []) + sums.map(Self.title) }

  /// The first name that two values have; nil if there is none.
  var repeatedTitle: String? {
    var known: Set<ComparedText> = []
    return titles.first { !known.insert(ComparedText($0)).inserted }
  }
}
