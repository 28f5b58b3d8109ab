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

/// Columns that are found in objects: the paths of what is no object, or as deep as they may be, in the order of appearance.
package struct FoundColumns: Sendable {
  /// The columns in order.
  package private(set) var columns: [Column] = []
  private var places: [[ComparedText]: Int] = [:]
  private let limit: Int

  /// How deep objects are looked into.
  static let depth = 2
  /// Up to how many columns are looked up in an object one by one, which takes the length of the object for each.
  private static let few = 32

  /// No columns.
  ///
  /// - Parameter limit: how many are found at most.
  package init(limit: Int = .max) { self.limit = limit }

  /// Adds the columns that an object has, the key's first.
  ///
  /// - Parameter other: a member of the object that is none.
  /// - Complexity: O(length of the object)
  package mutating func find(in document: Document, key: [[String]], except other: [String]? = nil) {
    for path in key where document.shownValue(at: path) != nil { add(path) }
    document.forEachLeaf(depth: Self.depth) { path, _ in
      // An object that is part of the key is a column as a whole.
      if path != other, !key.contains(where: path.starts) { add(path) }
    }
  }

  private mutating func add(_ path: [String]) {
    guard columns.count < limit else { return }
    let key = path.map(ComparedText.init)
    if places[key] != nil { return }
    places[key] = columns.count
    columns.append(Column(path: path))
  }

  /// The values of an object in these columns.
  ///
  /// - Complexity: O(length of the object + columns)
  package func values(of document: Document) -> [ShownValue?] {
    if columns.count <= Self.few { return columns.map { document.shownValue(at: $0.path) } }
    var values = [ShownValue?](repeating: nil, count: columns.count)
    document.forEachLeaf(depth: Self.depth) { path, value in
      if let place = places[path.map(ComparedText.init)] { values[place] = value }
    }
    return values
  }
}
