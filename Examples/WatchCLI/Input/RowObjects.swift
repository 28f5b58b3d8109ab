package import LiveStore

/// Makes objects of rows, whose values stand at paths: `owner.name` is a member of an object `owner`.
package struct RowObjects {
  private let format: InputFormat
  /// How many columns there may be, or names in a line.
  static let maximumColumns = 1 << 20
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
    let (fields, count) = try format.fields(row, atMost: titles?.count ?? Self.maximumColumns)
    guard let titles else {
      guard count <= Self.maximumColumns else {
        throw RowMistake(reason: "\(count) titles; up to \(Self.maximumColumns) are read")
      }
      let paths = try fields.map { field throws(RowMistake) in try Self.path(field.text) }
      var known = Set<[ComparedText]>(minimumCapacity: paths.count)
      if let twice = paths.first(where: { !known.insert($0.map(ComparedText.init)).inserted }) {
        throw RowMistake(reason: "two columns are called \(twice.joined(separator: "."))")
      }
      titles = paths
      return Optional.none
    }
    guard count <= titles.count else {
      throw RowMistake(reason: "\(count) fields below \(titles.count) titles")
    }
    return Self.object(titles, fields.map(\.value))
  }

  private static func path(_ text: String) throws(RowMistake) -> [String] {
    guard let path = KeyPathText(text) else {
      throw RowMistake(reason: "\(JSONValue.string(text)) is not a path such as a.b")
    }
    guard path.steps.count < JSONValue.maximumDepth else {
      throw RowMistake(reason: "a path has more than \(JSONValue.maximumDepth - 1) steps")
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
    /// Where the members are, by their keys, if there are more than a few.
    private var places: [ComparedText: Int] = [:]
    private var leaf: JSONValue?

    private static let few = 16

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
      let place = place(of: key)
      members[place].node.set(value, at: path.dropFirst())
    }

    /// Where the member of a key is, which is added if there is none.
    private mutating func place(of key: String) -> Int {
      if members.count > Self.few {
        if let place = places[ComparedText(key)] { return place }
      } else if let place = members.firstIndex(where: { isSameText($0.key, key) }) {
        return place
      }
      members.append((key, Node()))
      if members.count == Self.few + 1 {
        places = Dictionary(
          members.enumerated().map { (ComparedText($1.key), $0) }, uniquingKeysWith: { first, _ in first })
      } else if members.count > Self.few {
        places[ComparedText(key)] = members.count - 1
      }
      return members.count - 1
    }
  }
}
