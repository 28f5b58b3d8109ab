/// What a store does with the objects of an entity that concerns no other entity, for who keeps objects
/// without a store.
package struct ObjectRules<Element: Entity>: Sendable {
  private let info: EntityInfo

  /// - Throws: `invalidSchema`, as a store of the entity does.
  package init() throws(StoreError) { info = try EntityInfo(Element.self) }

  /// Whether the schema mentions every stored property of an object.
  ///
  /// - Throws: `invalidSchema`.
  package func check(_ object: Element) throws(StoreError) {
    try withObject(object, info.check)
  }

  /// Whether an object takes the place of another of its id: a store keeps the one it has where the two are one
  /// value, unless there are properties that do not count.
  package func isEdit(_ old: Element, _ new: Element) -> Bool {
    info.hasIgnored || !Element.schema.isSame(old, new)
  }

  /// Looks for another object with the same value of a unique property.
  ///
  /// - Throws: `uniqueViolation`.
  /// - Complexity: O(*n*) for *n* others, if any property is unique.
  package func checkUnique(_ object: Element, among others: some Sequence<Element>) throws(StoreError) {
    for index in info.indexes where index.isUnique {
      let property = index.property
      for other in others where other.id != object.id {
        let violation = withObjects(object, other) { object, other in
          property.functions.isNil(object) || !property.functions.isSame(object, other)
            ? nil : info.uniqueViolation(object, other, property)
        }
        if let violation { throw violation }
      }
    }
  }

  /// The error of inserting an object whose id is there.
  package func duplicateID(_ id: Element.ID) -> StoreError { info.duplicateID(shown(id)) }

  /// The error of updating an object that is not there.
  package func notFound(_ id: Element.ID) -> StoreError { .notFound(Element.self, shown(id)) }

  /// The error of an update that gave the object another id.
  package func identifierChanged(_ id: Element.ID, to other: Element.ID) -> StoreError {
    info.identifierChanged(shown(id), to: shown(other))
  }
}
