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
    if path == placePath { return document.place.map(JSONValue.string) ?? .null }
    return document.value(at: path) ?? .null
  })

  /// The path by which objects are sorted as they stand in their stream, which is that of no value.
  static let placePath = ["\u{0}place"]

  /// An object under an id.
  ///
  /// - Parameter place: where it stands among others, see `StreamPlace`.
  package init(id: JSONValue, body: JSONValue, place: String? = nil) {
    var bytes: [UInt8] = []
    body.write(to: &bytes)
    content = bytes.withUnsafeBytes { DocumentText.make(JSONText($0), id: .outside(id, place: place)) }
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

  /// Where the object stands among others; nil if that is not known.
  package var place: String? { content.place }

  /// The whole object.
  package var body: JSONValue { content.withObject { $0.value } }

  /// Calls a closure with the text of the object, which is valid until it returns.
  func withObject<Result>(_ read: (JSONText) -> Result) -> Result { content.withObject(read) }

  /// Calls a closure with the text of the object and how its numbers were written, see `NumberSpellings`.
  func withObject<Result>(_ read: (JSONText, UnsafeRawBufferPointer) -> Result) -> Result {
    content.withObject(read)
  }

  /// True if ids, objects and places are equal.
  package static func == (left: Document, right: Document) -> Bool {
    left.hasSameObject(as: right) && left.place == right.place
  }

  /// Whether ids and objects are equal.
  func hasSameObject(as other: Document) -> Bool {
    if content === other.content { return true }
    return withObject { a in other.withObject { b in JSONText.areEqual(a, b) } } && id == other.id
  }

  /// Hashes the id, which is different in different objects.
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
