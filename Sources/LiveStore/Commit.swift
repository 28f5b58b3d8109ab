/// One commit: what it changed, with old and new objects.
public struct Commit: Sendable, CustomStringConvertible {
  let record: CommitRecord

  /// The version it made.
  public var version: Version { record.version }
  /// Who wrote it, as given to `write(origin:)`.
  public var origin: String? { record.origin }
  /// How many objects it changed, over all entities.
  public var changeCount: Int { record.rowCount }
  /// The store before it.
  public var before: Snapshot { Snapshot(record.before) }
  /// The store after it.
  public var after: Snapshot { Snapshot(record.after) }

  /// The objects of an entity that it inserted, changed or deleted, in insertion order.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes.
  public func changes<Element: Entity>(of type: Element.Type) -> [ObjectDifference<Element>] {
    guard let table = record.before.catalog.index(of: type) else { return [] }
    let changes = StoreChanges(record)
    return changes.rows(in: table).map {
      // Rows of this entity's table hold Elements; both states live as long as this value.
      ObjectDifference(
        old: $0.old?.assumingMemoryBound(to: Element.self).pointee,
        new: $0.new?.assumingMemoryBound(to: Element.self).pointee)
    }
  }

  /// The version, the origin and how many objects changed.
  public var description: String {
    "version \(version)\(origin.map { " by \($0)" } ?? ""): \(changeCount) objects changed"
  }
}

/// An object before and after a commit: inserted when there is no old one, deleted when there is no new one.
public struct ObjectDifference<Element: Entity>: Sendable {
  /// The object before; nil if it was inserted.
  public let old: Element?
  /// The object after; nil if it was deleted.
  public let new: Element?
}
