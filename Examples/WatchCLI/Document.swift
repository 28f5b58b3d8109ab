package import LiveStore

/// A line of the input: a JSON object, known by the value of its key.
package struct Document: Hashable, Identifiable, Sendable {
  /// The value at the key, as a JSON value: `1` and `1.0` are one id, `"1"` is another.
  package let id: JSONValue
  /// The whole object.
  package let body: JSONValue

  /// An object under an id.
  package init(id: JSONValue, body: JSONValue) {
    (self.id, self.body) = (id, body)
  }
}
