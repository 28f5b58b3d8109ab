/// An element of an import, decoded and ready to be written.
struct ImportEdit<Element: Entity>: Sendable {
  let id: Element.ID
  let write: @Sendable (inout WriteTransaction) throws -> Void
  /// Where the element is in the text.
  var place = ImportPlace(index: 0, line: 0)

  init(id: Element.ID, write: @escaping @Sendable (inout WriteTransaction) throws -> Void) {
    (self.id, self.write) = (id, write)
  }
}

/// Where an element is in the text.
struct ImportPlace {
  let index: Int
  let line: Int
}
