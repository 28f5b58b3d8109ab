/// The ids of deleted objects, without their type.
protocol DeletedIDs {
  /// Adds the id of an object, given as a pointer to it.
  mutating func insert(_ object: UnsafeRawPointer)
}

struct DeletedIDsOf<Target: Entity>: DeletedIDs {
  // References are hashed in linear time, whatever marks a text has.
  private var references: Set<Ref<Target>> = []

  func contains(_ reference: Ref<Target>) -> Bool { references.contains(reference) }

  mutating func insert(_ id: Target.ID) { references.insert(Ref(id)) }

  mutating func insert(_ object: UnsafeRawPointer) {
    // Made by the entity's own `EntityInfo`, so objects are rows of it.
    insert(object.object(as: Target.self).pointee.id)
  }
}
