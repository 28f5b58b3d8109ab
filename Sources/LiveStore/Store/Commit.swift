/// One commit: what it changed, with old and new objects.
public struct Commit: Sendable, CustomStringConvertible {
  let record: CommitRecord

  /// The version it made.
  public var version: Version { record.version }
  /// The name of the writer, as given to `write(origin:)`.
  public var origin: String? { record.origin }
  /// How many objects it changed, over all entities; an object that it deleted and inserted again counts once.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes.
  public var changeCount: Int {
    let changes = StoreChanges(record)
    return changes.tables.reduce(0) { count, table in
      count + ObjectEdit.edits(table.rows, record.after.catalog.entities[table.table].ids).count
    }
  }
  /// The store before the commit.
  public var before: Snapshot { Snapshot(record.before) }
  /// The store after the commit.
  public var after: Snapshot { Snapshot(record.after) }

  /// The objects of an entity that the commit inserted, changed or deleted, in insertion order.
  ///
  /// An object that the commit deleted and inserted again is one object, with its value before and after. It is now
  /// last in insertion order, and both values may be equal.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes.
  public func changes<Element: Entity>(of type: Element.Type) -> ObjectDifferences<Element> {
    guard let table = record.before.catalog.index(of: type) else {
      return ObjectDifferences(edits: [], record.before, record.after)
    }
    return ObjectDifferences(StoreChanges(record).rows(in: table), in: table, record.before, record.after)
  }

  /// The version, the origin and how many objects changed.
  public var description: String {
    "version \(version)\(origin.map { " by \($0)" } ?? ""): \(changeCount) objects changed"
  }
}
