/// Reads the references of a relation without knowing their type.
///
/// Objects are pointers to rows of the entity that has the relation, or to copies of rows; targets are rows of the
/// linked entity.
protocol LinkReading: Sendable {
  /// Calls a body with the hash of each linked id, in order.
  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void)

  /// Whether the object links to a target.
  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool

  /// Passes itself to a visitor, with its type.
  func visited<Visitor: LinkVisitor>(by visitor: Visitor) -> Visitor.Result

  /// The references of a value in which these are nested.
  ///
  /// - Parameter each: calls a closure with every nested value in an object.
  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading
}

/// An operation on a relation's references that needs the type of their targets.
protocol LinkVisitor {
  associatedtype Result
  func visit<Target: Entity>(_ links: LinkReader<Target>) -> Result
}

struct LinkReader<Target: Entity>: LinkReading {
  let forEach: @Sendable (UnsafeRawPointer, (Ref<Target>) -> Void) -> Void

  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void) {
    forEach(object) { body(idHash($0.id)) }
  }

  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool {
    // Targets are rows of the table of `Target`.
    let id = target.object(as: Target.self).pointee.id
    var isLinked = false
    forEach(object) { isLinked = isLinked || $0.id == id }
    return isLinked
  }

  func visited<Visitor: LinkVisitor>(by visitor: Visitor) -> Visitor.Result { visitor.visit(self) }

  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading {
    let inner = forEach
    return LinkReader { object, body in each(object) { inner($0, body) } }
  }
}

/// The ids of deleted objects, without their type.
protocol DeletedIDs {
  /// Adds the id of an object, given as a pointer to it.
  mutating func insert(_ object: UnsafeRawPointer)
}

struct DeletedIDsOf<Target: Entity>: DeletedIDs {
  private(set) var ids: Set<Target.ID> = []

  mutating func insert(_ object: UnsafeRawPointer) {
    // Made by the entity's own `EntityInfo`, so objects are rows of it.
    ids.insert(object.object(as: Target.self).pointee.id)
  }
}
