/// The ids of deleted objects, without their type.
protocol DeletedIDs {
  /// Adds the id of an object, given as a pointer to it.
  mutating func insert(_ object: UnsafeRawPointer)
}

struct DeletedIDsOf<Target: Entity>: DeletedIDs {
  private(set) var ids: Set<Target.ID> = []

  mutating func insert(_ id: Target.ID) { ids.insert(id) }

  mutating func insert(_ object: UnsafeRawPointer) {
    // Made by the entity's own `EntityInfo`, so objects are rows of it.
    ids.insert(object.object(as: Target.self).pointee.id)
  }
}
