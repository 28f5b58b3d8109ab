/// A column of the output: where its values stand in an object, and its title.
package struct Column: Hashable, Sendable {
  /// Where the value stands.
  package let path: [String]
  /// What is written above the values.
  package let title: String

  /// A column; without a title, the path is its title.
  package init(path: [String], title: String? = nil) {
    (self.path, self.title) = (path, title ?? KeyPathText(steps: path).title)
  }
}
