package import LiveStore

/// A line of the input: a JSON object, identified by the value of its key.
///
/// Its properties are only known at run time: the schema resolves paths in the object. Everything else reads its values
/// through `Document+Values.swift`.
package struct Document: DynamicEntity, Hashable {
  /// The value at the key, as a JSON value: `1` and `1.0` are one id, `"1"` is another.
  package let id: JSONValue
  /// The whole object.
  package let body: JSONValue

  /// The properties are the paths in the object.
  package static let schema = Schema<Document>(dynamic: { document, path in document.body[path: path] })

  /// An object under an id.
  package init(id: JSONValue, body: JSONValue) {
    (self.id, self.body) = (id, body)
  }
}
