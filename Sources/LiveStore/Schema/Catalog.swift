/// The entities of a store, numbered.
@usableFromInline
package final class Catalog: Sendable {
  package let entities: [EntityInfo]
  private let types: [ObjectIdentifier]
  /// The first of `types`, within reach: many stores have no other.
  private let firstType: ObjectIdentifier?
  /// Within reach too: a global is asked on every use whether it is there yet.
  let seeds = HashSeeds.process

  package init(_ entities: [EntityInfo]) throws(StoreError) {
    self.entities = entities
    types = entities.map { ObjectIdentifier($0.type) }
    firstType = types.first
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
    index(of: ObjectIdentifier(type))
  }

  @inline(__always)
  func index(of type: ObjectIdentifier) -> Int? {
    type == firstType ? 0 : laterIndex(of: type)
  }

  @inline(never)
  private func laterIndex(of type: ObjectIdentifier) -> Int? {
    for index in types.indices where types[index] == type { return index }
    return nil
  }

  private init() {
    entities = []
    types = []
    firstType = nil
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
