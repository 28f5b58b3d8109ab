package import LiveStore

/// Makes objects of rows, whose values stand at paths: `owner.name` is a member of an object `owner`.
package struct RowObjects {
  private let format: InputFormat
  /// The paths in the first row; nil before it.
  private var titles: [[String]]?

  /// Nothing has been read.
  package init(_ format: InputFormat) {
    self.format = format
  }

  /// The object of a row; nil for the row of the paths.
  package mutating func object(_ row: String) throws(RowMistake) -> JSONValue? {
    if format == .logfmt {
      let pairs = try InputFormat.pairs(row)
      let paths = try pairs.map { pair throws(RowMistake) in try Self.path(pair.name) }
      return Self.object(paths, pairs.map(\.field.value))
    }
    let fields = try format.fields(row)
    guard let titles else {
      let paths = try fields.map { field throws(RowMistake) in try Self.path(field.text) }
      if let twice = paths.first(where: { path in paths.count { $0 == path } > 1 }) {
        throw RowMistake(reason: "two columns are called \(twice.joined(separator: "."))")
      }
      titles = paths
      return Optional.none
    }
    guard fields.count <= titles.count else {
      throw RowMistake(reason: "\(fields.count) fields below \(titles.count) titles")
    }
    return Self.object(titles, fields.map(\.value))
  }

  private static func path(_ text: String) throws(RowMistake) -> [String] {
    guard let path = KeyPathText(text) else {
      throw RowMistake(reason: "\(JSONValue.string(text)) is not a path such as a.b")
    }
    return path.steps
  }

  /// The object that has values at paths; of a path that leads through a value, the later counts.
  private static func object(_ paths: [[String]], _ values: [JSONValue?]) -> JSONValue {
    var object = Node()
    for (path, value) in zip(paths, values) {
      if let value { object.set(value, at: path[...]) }
    }
    return object.value
  }

  /// An object while it is made.
  private struct Node {
    private var members: [(key: String, node: Node)] = []
    private var leaf: JSONValue?

    var value: JSONValue {
      leaf ?? .object(JSONObject(members.map { (key: $0.key, value: $0.node.value) }))
    }

    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
      guard let key = path.first else {
        self = Node()
        leaf = value
        return
      }
      leaf = nil
      let place = members.firstIndex { $0.key == key } ?? members.count
      if place == members.count { members.append((key, Node())) }
      members[place].node.set(value, at: path.dropFirst())
    }
  }
}
