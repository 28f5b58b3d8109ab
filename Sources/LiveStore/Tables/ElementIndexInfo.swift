/// The index of a property's elements, or of the words of its text.
final class ElementIndexInfo: InvertedIndex {
  let name: String
  let path: Term
  let kind: String
  private let elements: ElementFunctions
  private let isSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  init(_ property: PropertyInfo, _ elements: ElementFunctions, kind: String = "elements") {
    name = property.name
    self.kind = kind
    path = kind == "words" ? property.path.ofWords : property.path
    self.elements = elements
    isSame = property.functions.isSame
  }

  func hashes(_ object: UnsafeRawPointer) -> [UInt64] {
    var hashes: [UInt64] = []
    elements.forEachHash(object) { hashes.append($0) }
    return hashes
  }

  func isListedAlike(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    elements.areHashesEqualInSameValues && isSame(lhs, rhs)
  }
}

/// The indexes of elements among the properties of a schema.
func elementIndexInfos(_ properties: [PropertyInfo], entity: String) throws(StoreError) -> [ElementIndexInfo]
{
  var indexes: [ElementIndexInfo] = []
  for property in properties where property.options.contains(.indexedElements) {
    guard let elements = property.elements else {
      throw StoreError(
        StoreError.invalidSchema,
        "The property \(property.name) of \(entity) cannot have an index of its elements: it is not an array or set of Hashable elements. For an index of the value as a whole, write .indexed; links are always indexed.",
        entity: entity, property: property.name)
    }
    indexes.append(ElementIndexInfo(property, elements))
  }
  return indexes
}

/// The indexes of words among the properties of a schema.
func wordIndexInfos(_ properties: [PropertyInfo], entity: String) throws(StoreError) -> [ElementIndexInfo] {
  var indexes: [ElementIndexInfo] = []
  for property in properties where property.options.contains(.searchable) {
    guard let words = property.words else {
      throw StoreError(
        StoreError.invalidSchema,
        "The property \(property.name) of \(entity) cannot be searched: it is no text. A searchable property is a String, an optional, array or set of strings, or of another type that conforms to SearchableText.",
        entity: entity, property: property.name)
    }
    indexes.append(ElementIndexInfo(property, words, kind: "words"))
  }
  return indexes
}

extension Term {
  /// The path of the words in a text: of their index, and of the conditions that the index serves. It never
  /// equals the path of the value or of its elements (I5).
  package var ofWords: Term { .function(.words, self) }
}
