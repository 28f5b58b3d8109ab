package import LiveStore

// The one way to the values of a document.
extension Document {
  /// The value at a path, or nil if there is none.
  package func value(at path: [String]) -> JSONValue? {
    withObject { $0.value(at: path) }
  }

  /// The value at a path as it is shown; nil if there is none.
  package func shownValue(at path: [String]) -> ShownValue? {
    withObject { object, spellings in
      object.range(at: path).map { ShownValue(object, at: $0, spellings) }
    }
  }

  /// The whole object as compact JSON.
  package var text: String { withObject { String(decoding: $0.bytes, as: UTF8.self) } }

  /// Appends the whole object as compact JSON.
  package func writeJSON(to bytes: inout [UInt8]) {
    withObject { bytes.append(contentsOf: $0.bytes) }
  }
}
