package import LiveStore

/// An entity that a `ModelStore` can hold: what its schema says of links, ignored and unique properties, written
/// by hand in plain Swift, so that a mistake in the library's schemas cannot hide itself.
package protocol ModelEntity: Entity where ID == Int {
  /// The links that the object holds; a list, set or map has one for each of its entries.
  var modelLinks: [ModelLink] { get }

  /// Removes the links to an object that one property holds.
  ///
  /// - Parameter property: one of `modelLinks` whose delete rule is nullify.
  mutating func removeLinks(to id: Int, in property: String)

  /// The text of a unique property's value; nil where the object has none.
  func uniqueValue(of property: String) -> String?

  /// Whether two objects of one id are the same to the store: ignored properties do not count, and NaN equals
  /// itself.
  func isSame(as other: Self) -> Bool
}

extension ModelEntity {
  package var modelLinks: [ModelLink] { [] }

  package mutating func removeLinks(to id: Int, in property: String) {
    preconditionFailure("\(Self.self) cannot remove links in \(property)")
  }

  package func uniqueValue(of property: String) -> String? {
    preconditionFailure("\(Self.self) has no unique value of \(property)")
  }

  package static func modelKey(_ id: Int) -> ModelKey { ModelKey(type: Self.self, id: id) }
  package var modelKey: ModelKey { Self.modelKey(id) }
}

extension ModelEntity where Self: Equatable {
  package func isSame(as other: Self) -> Bool { self == other }
}

/// Which object: its entity and its id.
package struct ModelKey: Sendable {
  package let type: any ModelEntity.Type
  package let id: Int

  package var entity: String { "\(type)" }
}

extension ModelKey: Hashable, CustomStringConvertible {
  package static func == (left: ModelKey, right: ModelKey) -> Bool {
    left.id == right.id && ObjectIdentifier(left.type) == ObjectIdentifier(right.type)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type))
    hasher.combine(id)
  }

  package var description: String { "\(entity) \(id)" }
}

/// A link from the object that holds it.
package struct ModelLink: Hashable, Sendable {
  /// The entity and the property as its schema names it, such as `Citizen.home.place`.
  package let property: String
  package let target: ModelKey

  package init<Target: ModelEntity>(_ property: String, to target: Ref<Target>) {
    self.property = property
    self.target = Target.modelKey(target.id)
  }
}

/// What the schemas of a store say of deletion and of commits. Properties are named as in `ModelLink`.
package struct ModelRules: Sendable {
  /// The delete rules that are not nullify.
  package var deleteRules: [String: DeleteRule]
  /// The relations whose targets are deleted with the object that holds the links.
  package var owned: Set<String>
  /// The relations that must have a target.
  package var required: Set<String>
  /// The properties of which no two objects may have the same value.
  package var unique: Set<String>

  package init(
    onDelete deleteRules: [String: DeleteRule] = [:], owned: Set<String> = [], required: Set<String> = [],
    unique: Set<String> = []
  ) {
    self.deleteRules = deleteRules
    self.owned = owned
    self.required = required
    self.unique = unique
  }

  var properties: Set<String> { owned.union(required).union(unique).union(deleteRules.keys) }

  package func deleteRule(_ property: String) -> DeleteRule { deleteRules[property] ?? .nullify }
}
