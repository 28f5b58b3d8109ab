import LiveStore

/// A column of the output: where its values stand in an object, and its title.
package struct Column: Hashable, Sendable {
  /// Where the value stands.
  package let path: [String]
  /// What is written above the values.
  package let title: String
  /// Whether the title is another than the path.
  package let hasTitle: Bool

  /// A column; without a title, the path is its title.
  package init(path: [String], title: String? = nil) {
    let name = KeyPathText(steps: path).title
    (self.path, self.title) = (path, title ?? name)
    hasTitle = !self.title.utf8.elementsEqual(name.utf8)
  }

  /// Whether the values stand at a path.
  package func isAt(_ path: [String]) -> Bool {
    self.path.lazy.map(ComparedText.init).elementsEqual(path.lazy.map(ComparedText.init))
  }
}
