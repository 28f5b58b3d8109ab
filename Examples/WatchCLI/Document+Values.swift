package import LiveStore

// The one way to the values of a document.
extension Document {
  /// The value at a path, or nil if there is none.
  package func value(at path: [String]) -> JSONValue? {
    body.value(at: path)
  }

  /// The whole object as compact JSON.
  package var text: String { body.description }

  /// Appends the whole object as compact JSON.
  package func writeJSON(to bytes: inout [UInt8]) {
    body.write(to: &bytes)
  }

  /// The paths of the values that are not objects, in the order of the source, down to a depth.
  package func leafPaths(depth: Int) -> [[String]] {
    var paths: [[String]] = []
    Self.collect(body, after: [], depth: depth, into: &paths)
    return paths
  }

  private static func collect(
    _ value: JSONValue, after path: [String], depth: Int, into paths: inout [[String]]
  ) {
    guard depth > 0, case .object(let object) = value, !object.isEmpty else {
      if !path.isEmpty { paths.append(path) }
      return
    }
    for (key, value) in object { collect(value, after: path + [key], depth: depth - 1, into: &paths) }
  }
}
