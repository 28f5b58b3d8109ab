/// The entities of a store, numbered.
@usableFromInline
package final class Catalog: Sendable {
  package let entities: [EntityInfo]
  private let types: [ObjectIdentifier]

  package init(_ entities: [EntityInfo]) throws(StoreError) {
    self.entities = entities
    types = entities.map { ObjectIdentifier($0.type) }
    for (index, type) in types.enumerated() where types[..<index].contains(type) {
      throw StoreError(
        StoreError.invalidSchema, "The entity \(entities[index].name) is given twice.",
        entity: entities[index].name)
    }
  }

  /// The entity's number; nil when the store was made without it.
  ///
  /// - Complexity: O(*e*) for *e* entities, which are few: a scan of a few words beats hashing them.
  @usableFromInline
  package func index(of type: any Entity.Type) -> Int? {
    let type = ObjectIdentifier(type)
    for index in types.indices where types[index] == type { return index }
    return nil
  }

  /// The same entities and one more, which comes last: the rows of a grouped result.
  init(_ catalog: Catalog, adding info: EntityInfo) {
    entities = catalog.entities + [info]
    types = catalog.types + [ObjectIdentifier(info.type)]
  }

  private init() {
    entities = []
    types = []
  }

  static let empty = Catalog()

  package func require(_ type: any Entity.Type) throws(StoreError) -> Int {
    guard let index = index(of: type) else {
      throw StoreError(
        StoreError.unknownEntity, "The store has no entity \(type). Name it in Store(…).",
        entity: "\(type)")
    }
    return index
  }
}
