/// The references that objects hold by one relation, where their type need not be known.
///
/// Objects are given as pointers to rows of the entity that has the relation, or to copies of such; targets
/// are rows of the entity linked to.
protocol LinkReading: Sendable {
  /// Calls a body with the hash of each id linked to, in order.
  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void)

  /// Whether the object links to a target.
  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool

  /// Hands itself over with its type.
  func visited<Visitor: LinkVisitor>(by visitor: Visitor) -> Visitor.Result

  /// The references of a value that these are nested in.
  ///
  /// - Parameter each: hands over every nested value in an object.
  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading
}

/// What is done with the references of a relation by who has to know the type of what they lead to.
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

/// The ids of objects that a deletion took away, where their type need not be known.
protocol DeletedIDs {
  /// Adds the id of an object, given as a pointer to it.
  mutating func insert(_ object: UnsafeRawPointer)
}

struct DeletedIDsOf<Target: Entity>: DeletedIDs {
  private(set) var ids: Set<Target.ID> = []

  mutating func insert(_ object: UnsafeRawPointer) {
    // Made by the entity's own `EntityInfo`, so objects are its rows.
    ids.insert(object.object(as: Target.self).pointee.id)
  }
}
