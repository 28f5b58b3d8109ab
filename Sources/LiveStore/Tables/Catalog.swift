package import Foundation

/// The entities of a store, numbered.
@usableFromInline
package final class Catalog: Sendable {
  package let entities: [EntityInfo]
  let types: [ObjectIdentifier]
  /// The links that lead to each entity.
  package let incoming: [[IncomingLink]]
  /// The first of `types`, stored inline: many stores have only one entity.
  private let firstType: ObjectIdentifier
  /// Shared by all catalogs of one store, including those with groups.
  private let store: StoreIdentity
  /// A copy of the global, which would check on every access whether it is initialised.
  let seeds = HashSeeds.process

  /// - Parameters:
  ///   - identity: the identity of the store that this one continues.
  ///   - lostVersions: versions that the continued store had and that are no state of it now.
  package init(
    _ entities: [EntityInfo], identity: UUID = UUID(), lostVersions: [ClosedRange<Version>] = []
  ) throws(StoreError) {
    self.entities = entities
    store = StoreIdentity(identity, lostVersions: lostVersions)
    types = entities.map { ObjectIdentifier($0.type) }
    firstType = types.first ?? ObjectIdentifier(Never.self)
    for (index, type) in types.enumerated() where types[..<index].contains(type) {
      throw StoreError(
        StoreError.invalidSchema, "The entity \(entities[index].name) is listed twice in Store(…).",
        entity: entities[index].name)
    }
    var incoming: [[IncomingLink]] = entities.map { _ in [] }
    for (source, info) in entities.enumerated() {
      for (number, link) in info.links.enumerated() {
        guard let target = types.firstIndex(of: ObjectIdentifier(link.target)) else {
          throw StoreError(
            StoreError.invalidSchema,
            "\(info.name).\(link.name) links to \(link.target), which is not in this store. Add it to Store(…).",
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
      "The inverse \(inverse.name) of \(name) names \(inverse.source).\(inverse.property), which is not a relation to \(name) in this store.",
      entity: name, property: inverse.name)
  }

  /// The entity's number; nil when the store was made without it.
  ///
  /// - Complexity: O(*e*) for *e* entities. They are few, so scanning a few words is faster than hashing.
  @usableFromInline
  package func index(of type: any Entity.Type) -> Int? {
    index(of: ObjectIdentifier(type))
  }

  @inline(__always)
  func index(of type: ObjectIdentifier) -> Int? {
    type == firstType ? 0 : laterIndex(of: type)
  }

  @inline(__always)
  func isFirst(_ type: ObjectIdentifier) -> Bool { type == firstType }

  /// The number of an entity other than the first.
  @inline(never)
  func laterIndex(of type: ObjectIdentifier) -> Int? {
    for index in types.indices where types[index] == type { return index }
    return nil
  }

  /// The link that a property of an entity holds.
  func link(of source: ObjectIdentifier, _ path: Term) -> IncomingLink? {
    guard let table = types.firstIndex(of: source),
      let link = entities[table].links.firstIndex(where: { $0.path == path })
    else { return nil }
    return IncomingLink(table: table, link: link)
  }

  /// The same entities and one more at the end: the rows of a grouped result.
  init(_ catalog: Catalog, adding info: EntityInfo) {
    entities = catalog.entities + [info]
    types = catalog.types + [ObjectIdentifier(info.type)]
    firstType = types[0]
    incoming = catalog.incoming + [[]]
    store = catalog.store
  }

  /// The same entities, of another store.
  init(forCopyOf catalog: Catalog) {
    entities = catalog.entities
    types = catalog.types
    firstType = catalog.firstType
    incoming = catalog.incoming
    store = StoreIdentity()
  }

  /// Whether row numbers and stamps mean the same rows and values in both.
  func isOfOneStore(with other: Catalog) -> Bool { store === other.store }

  private init() {
    entities = []
    types = []
    incoming = []
    store = StoreIdentity()
    firstType = ObjectIdentifier(Never.self)
  }

  static let empty = Catalog()

  /// Whether two objects have equal listed properties and links; for dynamic entities, equal content.
  package func isSame<Element: Entity>(_ lhs: Element, _ rhs: Element) -> Bool {
    guard let table = index(of: Element.self) else { return false }
    return withObjects(lhs, rhs, entities[table].isSame)
  }

  /// Fails in debug builds when the store was made without an entity: reading its objects would give none, without an
  /// explanation.
  @inlinable
  package func assertKnows(_ type: any Entity.Type) {
    assert(index(of: type) != nil, StoreError.unknownEntity(type).message)
  }

  package func require(_ type: any Entity.Type) throws(StoreError) -> Int {
    guard let index = index(of: type) else {
      throw .unknownEntity(type)
    }
    return index
  }
}

extension Catalog {
  /// Identifies the store, also when it continues in another process.
  package var identity: UUID { store.identity }
  /// Identifies the store in this process alone.
  package var life: UUID { store.life }

  /// Whether a version was lost when a process of the store ended.
  func isLost(_ version: Version) -> Bool { store.lostVersions.contains { $0.contains(version) } }
}

/// The identity of one store, within which row numbers and stamps are unique.
private final class StoreIdentity: Sendable {
  let identity: UUID
  let lostVersions: [ClosedRange<Version>]
  let life = UUID()

  init(_ identity: UUID = UUID(), lostVersions: [ClosedRange<Version>] = []) {
    (self.identity, self.lostVersions) = (identity, lostVersions)
  }
}
