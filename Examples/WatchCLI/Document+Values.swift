package import LiveStore

// The one way to the values of a document.
extension Document {
  /// The value at a path, or nil if there is none.
  package func value(at path: [String]) -> JSONValue? {
    withObject { $0.value(at: path) }
  }

  /// Appends the value at a path as compact JSON, null if there is none.
  package func writeJSON(at path: [String], to bytes: inout [UInt8]) {
    withObject { object in
      if let text = object.text(at: path) {
        bytes.append(contentsOf: text.bytes)
      } else {
        bytes.append(contentsOf: "null".utf8)
      }
    }
  }

  /// The whole object as compact JSON.
  package var text: String { withObject { String(decoding: $0.bytes, as: UTF8.self) } }

  /// Appends the whole object as compact JSON.
  package func writeJSON(to bytes: inout [UInt8]) {
    withObject { bytes.append(contentsOf: $0.bytes) }
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
