public import LiveStore

/// An entity of a replica's store: a ``Replicated`` or ``Local``.
public protocol ReplicaMember<Element>: Sendable {
  /// The entity.
  associatedtype Element: Entity
  /// What is followed.
  var replicated: ReplicatedEntity { get }
}

/// What a replica follows for an entity of its store.
public struct ReplicatedEntity: Sendable {
  /// The table; nil for an entity that is not replicated.
  package let table: @Sendable () throws -> (any ReplicatedTable)?

  init(_ table: @escaping @Sendable () throws -> (any ReplicatedTable)?) { self.table = table }
}

/// The entities of a replica's store, in the order in which they are listed.
public struct ReplicaMembers: Sendable {
  let entities: [ReplicatedEntity]
  let types: [any Entity.Type]
  let makeStore: @Sendable (Store.Configuration) throws -> Store
}

/// Lists the entities of a replica's store.
@resultBuilder public enum ReplicaBuilder {
  /// The entities in the list.
  public static func buildBlock<each Member: ReplicaMember>(
    _ member: repeat each Member
  ) -> ReplicaMembers {
    var entities: [ReplicatedEntity] = []
    for member in repeat each member { entities.append(member.replicated) }
    var types: [any Entity.Type] = []
    for type in repeat (each Member).Element.self { types.append(type) }
    return ReplicaMembers(entities: entities, types: types) { configuration in
      try Store(repeat (each Member).Element.self, configuration: configuration)
    }
  }
}
