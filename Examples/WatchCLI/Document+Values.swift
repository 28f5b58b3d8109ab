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

  /// The values that are not objects, with their paths, in the order of the source, down to a depth.
  ///
  /// - Complexity: O(length of the object)
  package func forEachLeaf(depth: Int, _ body: ([String], ShownValue) -> Void) {
    withObject { object, spellings in
      var path: [String] = []
      func visit(_ place: Int) {
        object.forEachMember(at: place) { key, range in
          path.append(key.text)
          let isObject = object.bytes[range.lowerBound] == UInt8(ascii: "{") && range.count > 2
          if isObject, path.count < depth {
            visit(range.lowerBound)
          } else {
            body(path, ShownValue(object, at: range, spellings))
          }
          path.removeLast()
        }
      }
      visit(0)
    }
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
}
