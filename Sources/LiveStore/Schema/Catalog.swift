/// The entities of a store, numbered.
@usableFromInline
package final class Catalog: Sendable {
  package let entities: [EntityInfo]
  private let types: [ObjectIdentifier]
  /// The links that lead to each entity.
  package let incoming: [[IncomingLink]]

  package init(_ entities: [EntityInfo]) throws(StoreError) {
    self.entities = entities
    types = entities.map { ObjectIdentifier($0.type) }
    for (index, type) in types.enumerated() where types[..<index].contains(type) {
      throw StoreError(
        StoreError.invalidSchema, "The entity \(entities[index].name) is given twice.",
        entity: entities[index].name)
    }
    var incoming: [[IncomingLink]] = entities.map { _ in [] }
    for (source, info) in entities.enumerated() {
      for (number, link) in info.links.enumerated() {
        guard let target = types.firstIndex(of: ObjectIdentifier(link.target)) else {
          throw StoreError(
            StoreError.invalidSchema,
            "\(info.name).\(link.name) links to \(link.target), which is not in this store. Name it in Store(…), too.",
            entity: info.name, property: link.name)
        }
        incoming[target].append(IncomingLink(table: source, link: number))
      }
    }
    self.incoming = incoming
    for (target, info) in entities.enumerated() {
      for inverse in info.inverses { try check(inverse, of: target) }
    }
  }

  private func check(_ inverse: InverseDefinition, of target: Int) throws(StoreError) {
    let isThere = incoming[target].contains { incoming in
      ObjectIdentifier(entities[incoming.table].type) == ObjectIdentifier(inverse.source)
        && entities[incoming.table].links[incoming.link].definition.isReached(by: inverse.keyPaths)
    }
    if isThere { return }
    let name = entities[target].name
    throw StoreError(
      StoreError.invalidSchema,
      "The inverse \(inverse.name) of \(name) is of \(inverse.source).\(inverse.property), which is no relation to \(name) in this store.",
      entity: name, property: inverse.name)
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

  private init() {
    entities = []
    types = []
    incoming = []
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

/// A link that leads to an entity: by number, of the table it starts from.
package struct IncomingLink: Hashable, Sendable {
  package let table: Int
  package let link: Int
}
