package import LiveStore

/// Where the identity of an object stands: at one path, or at several that are one together. Without any path, every
/// line is an object of its own.
package struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
  /// The paths; none if lines are identified by their numbers.
  package let paths: [KeyPathText]

  /// The key where none is given.
  package static let standard = ObjectKey([KeyPathText(steps: ["id"])])

  /// The number of the line, by which no object is that of an earlier line.
  package static let line = ObjectKey([])

  /// Whether lines are identified by their numbers.
  var isLine: Bool { paths.isEmpty }

  /// A key of these paths.
  package init(_ paths: [KeyPathText]) {
    self.paths = paths
  }

  /// The identity of an object: the value at the path, or an array of those at several; nil if one is missing or null.
  ///
  /// - Parameter line: the number of its line.
  package func id(of object: JSONValue, line: Int = 0) -> JSONValue? {
    if isLine { return JSONValue(line) }
    if paths.count == 1 {
      // `nil` alone would be the value null.
      let value = object[path: paths[0].steps]
      return value.isNull ? Optional.none : value
    }
    let values = paths.map { object[path: $0.steps] }
    return values.contains(where: \.isNull) ? Optional.none : .array(values)
  }

  /// The paths as written.
  package var description: String {
    paths.map(\.description).joined(separator: ",")
  }
}

extension Document {
  /// An object under the value of its key; nil if it is no object, or has none.
  ///
  /// - Parameter line: the number of its line.
  init?(_ object: JSONText, key: ObjectKey, line: Int, spellings: NumberSpellings = NumberSpellings()) {
    guard object.isObject else { return nil }
    if key.isLine {
      self.init(object, id: .outside(JSONValue(line)), spellings: spellings)
      return
    }
    if key.paths.count == 1 {
      guard let range = object.range(at: key.paths[0].steps), !object.isNull(at: range) else { return nil }
      self.init(object, id: .inside(range), spellings: spellings)
    } else {
      guard let id = key.id(of: object.value) else { return nil }
      self.init(object, id: .outside(id), spellings: spellings)
    }
  }
}

/// How the lines of the input are read.
package struct InputRules: Hashable, Sendable {
  /// How objects are written.
  package var format = InputFormat.json
  /// How characters are encoded.
  package var encoding = InputEncoding.utf8
  /// How rows become objects.
  package var rows = RowRules()
  /// Whether a line that changes nothing counts as a change.
  package var countsLines = false
  /// Where the identity of an object stands.
  package var key: ObjectKey
  /// What each line is in; nil if it is the object.
  package var envelope: Envelope?
  /// The type of the messages that are read; nil for all.
  package var type: String?
  /// The objects that are removed when they arrive.
  package var deletion: FilterSyntax?
  /// The objects of which the first ends the input.
  package var end: FilterSyntax?
  /// The objects that are kept whole, of others only the id; all if it is nil.
  package var filter: FilterSyntax?
  /// How many bytes a line may have: offsets in a document have 31 bits, and numbers may be written with more digits
  /// than read.
  package var longestLine = 1 << 28
  /// How many lines there were in the files before.
  package var linesBefore = 0

  /// Rules for lines that are objects.
  package init(
    key: ObjectKey = .standard, envelope: Envelope? = nil, deletion: FilterSyntax? = nil,
    end: FilterSyntax? = nil
  ) {
    (self.key, self.envelope, self.deletion, self.end) = (key, envelope, deletion, end)
  }
}
