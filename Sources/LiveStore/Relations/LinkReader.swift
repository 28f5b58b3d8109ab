/// The references that objects hold by one relation, where their type need not be known.
///
/// Objects are given as pointers to rows of the entity that has the relation, or to copies of such; targets
/// are rows of the entity linked to.
protocol LinkReading: Sendable {
  /// Calls a body with the hash of each id linked to, in order.
  func forEachHash(_ object: UnsafeRawPointer, _ body: (UInt64) -> Void)

  /// Whether the object links to a target.
  func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool

  /// The rows of the objects linked to that are there, in order, in the table of their entity.
  func rows(_ object: UnsafeRawPointer, in table: Int, _ context: ReadContext) -> [UInt64]

  /// The first id linked to that names no object in the tables, as text; links that an older object had as
  /// well are not looked at.
  func missing(_ object: UnsafeRawPointer, since older: UnsafeRawPointer?, _ context: ReadContext) -> String?

  /// The references of a value that these are nested in.
  ///
  /// - Parameter each: hands over every nested value in an object.
  func nested(
    _ each: @escaping @Sendable (UnsafeRawPointer, (UnsafeRawPointer) -> Void) -> Void
  ) -> any LinkReading
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

  func rows(_ object: UnsafeRawPointer, in table: Int, _ context: ReadContext) -> [UInt64] {
    var rows: [UInt64] = []
    forEach(object) { reference in
      if let found = context.row(of: reference.id, in: table, Target.self) { rows.append(found.row) }
    }
    return rows
  }

  func missing(_ object: UnsafeRawPointer, since older: UnsafeRawPointer?, _ context: ReadContext) -> String?
  {
    guard let table = context.catalog.index(of: Target.self) else { return nil }
    var (old, new): ([Ref<Target>], [Ref<Target>]) = ([], [])
    if let older { forEach(older) { old.append($0) } }
    forEach(object) { new.append($0) }
    // Most edits leave both ends of a list as they were.
    let ends = commonEnds(old, new)
    let known = Set(old[ends.head..<old.count - ends.tail])
    return new[ends.head..<new.count - ends.tail].first { reference in
      !known.contains(reference) && context.row(of: reference.id, in: table, Target.self) == nil
    }.map { shown($0.id) }
  }

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
