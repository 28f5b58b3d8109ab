package import LiveStore

/// A line of the input: a JSON object, identified by the value of its key.
///
/// Its properties are only known at run time: the schema resolves paths in the object. The object is kept as its compact
/// text, and values are made when they are read: a million objects are a million blocks of memory, which a version copies
/// by reference.
///
/// Proof of sendability: the text is written once, before the document has its first copy.
package struct Document: DynamicEntity, Hashable, @unchecked Sendable {
  private let content: DocumentText

  /// The properties are the paths in the object.
  package static let schema = Schema<Document>(dynamic: { document, path in
    document.value(at: path) ?? .null
  })

  /// An object under an id.
  package init(id: JSONValue, body: JSONValue) {
    var bytes: [UInt8] = []
    body.write(to: &bytes)
    content = bytes.withUnsafeBytes { DocumentText.make(JSONText($0), id: .outside(id)) }
  }

  /// An object that has its text, under an id; that is at a place in the text, or not part of it.
  init(_ object: JSONText, id: DocumentText.Identity, spellings: NumberSpellings = NumberSpellings()) {
    content = DocumentText.make(object, id: id, spellings: spellings)
  }

  private init(content: DocumentText) { self.content = content }

  /// The id alone, with null in the place of the object: it keeps the place of an object that is not shown.
  var withoutObject: Document { Document(content: content.withoutObject()) }

  /// False if there is only the id.
  package var hasObject: Bool { content.withObject { $0.isObject } }

  /// The value at the key, as a JSON value: `1` and `1.0` are one id, `"1"` is another.
  package var id: JSONValue { content.withID { $0.value } }

  /// The whole object.
  package var body: JSONValue { content.withObject { $0.value } }

  /// Calls a closure with the text of the object, which is valid until it returns.
  func withObject<Result>(_ read: (JSONText) -> Result) -> Result { content.withObject(read) }

  /// Calls a closure with the text of the object and how its numbers were written, see `NumberSpellings`.
  func withObject<Result>(_ read: (JSONText, UnsafeRawBufferPointer) -> Result) -> Result {
    content.withObject(read)
  }

  /// True if ids and objects are equal.
  package static func == (left: Document, right: Document) -> Bool {
    if left.content === right.content { return true }
    return left.withObject { a in right.withObject { b in JSONText.areEqual(a, b) } } && left.id == right.id
  }

  /// Hashes the id, which is different in different objects.
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
