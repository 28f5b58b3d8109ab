/// How objects are grouped, and what is shown of a group.
package struct GroupOptions: Hashable, Sendable {
  /// The path by whose value objects are grouped; what is missing is null.
  package var path: KeyPathText
  /// Whether the number of objects is shown.
  package var hasCount = true
  /// The paths of which sums are shown.
  package var sums: [KeyPathText] = []

  /// Groups with their counts.
  package init(path: KeyPathText) {
    self.path = path
  }

  /// The name under which a sum is shown.
  static func title(ofSum path: KeyPathText) -> String { "sum(\(path))" }
}
