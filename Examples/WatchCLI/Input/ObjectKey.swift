package import LiveStore

/// Where the identity of an object stands: at one path, or at several that are one together.
package struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
  /// The paths, at least one.
  package let paths: [KeyPathText]

  /// The key where none is given.
  package static let standard = ObjectKey([KeyPathText(steps: ["id"])])

  /// A key of these paths.
  package init(_ paths: [KeyPathText]) {
    self.paths = paths
  }

  /// The identity of an object: the value at the path, or an array of those at several; nil if one is missing or null.
  package func id(of object: JSONValue) -> JSONValue? {
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
  init?(_ object: JSONText, key: ObjectKey) {
    guard object.isObject else { return nil }
    if key.paths.count == 1 {
      guard let range = object.range(at: key.paths[0].steps), !object.isNull(at: range) else { return nil }
      self.init(object, id: .inside(range))
    } else {
      guard let id = key.id(of: object.value) else { return nil }
      self.init(object, id: .outside(id))
    }
  }
}

/// How the lines of the input are read.
package struct InputRules: Hashable, Sendable {
  /// How objects are written.
  package var format = InputFormat.json
  /// Where the identity of an object stands.
  package var key: ObjectKey
  /// What each line is in; nil if it is the object.
  package var envelope: Envelope?
  /// The objects that are removed when they arrive.
  package var deletion: FilterSyntax?
  /// The objects of which the first ends the input.
  package var end: FilterSyntax?
  /// The objects that are kept whole, of others only the id; all if it is nil.
  package var filter: FilterSyntax?

  /// Rules for lines that are objects.
  package init(
    key: ObjectKey = .standard, envelope: Envelope? = nil, deletion: FilterSyntax? = nil,
    end: FilterSyntax? = nil
  ) {
    (self.key, self.envelope, self.deletion, self.end) = (key, envelope, deletion, end)
  }
}
