// Following a store.
//
// A file or a replica of the store is one more reader: it holds a version, and asks for the difference of
// that version and the newest (`StoreDifference`), which is the difference of the tables' trees. So the cost
// follows the differences, however many commits lie between, and a slow follower holds one version and queues
// nothing (`CommitCursor`). The row number of an object is given out as its place in insertion order, since a
// follower that keeps the order needs it.
//
// - **Y1** Applied to the objects of the older version, the differences give the newer version: its objects,
//   and by ascending place its order. Objects of the same value and place are not among them.
// - **Y2** When the store is closed, the last difference leads to its last version.
//
// The other direction, a store that follows something else, needs one thing of the core: that no writer but
// the follower writes to the tables it fills. `Store.reserveWrites(to:)` gives a writer tables of its own
// (`TableReservations`). Their source has decided what is valid, and has rows that the store does not have.
//
// - **Y3** A transaction that does not hold the reservation of a table leaves it as it is: each way to write
//   to it throws, and writes to it by rules or undo are refused at commit. The rules of its own schema do
//   nothing: its links are neither judged nor changed, and its unique properties are not compared. No rule of
//   another schema can refuse the deletion of its rows, or delete some of them: a table with such a rule
//   prevents the reservation (`Catalog.checkRules`).

/// One commit, as a difference of two versions: see ``Store/commits(after:fileID:line:)``.
public typealias Commit = StoreDifference

/// What differs between two versions of a store, entity by entity, with old and new objects.
///
/// For code that follows a store: files, replicas, search indexes, audit logs. ``Store/differences(since:fileID:line:)``
/// gives one after the other, ``Store/commits(after:fileID:line:)`` each commit by itself; two snapshots are compared by
/// ``Snapshot/difference(from:)``.
///
/// ```swift
/// for change in difference.changes(of: Post.self) {
///   switch (change.old, change.new) {
///   case (nil, let new?): index.add(new)
///   case (let old?, nil): index.remove(old.id)
///   case (_, let new?): index.replace(new)
///   case (nil, nil): break
///   }
/// }
/// ```
public struct StoreDifference: Sendable, CustomStringConvertible {
  private let record: CommitRecord

  init(_ record: CommitRecord) { self.record = record }

  /// The store before.
  public var before: Snapshot { Snapshot(record.before) }
  /// The store after.
  public var after: Snapshot { Snapshot(record.after) }
  /// The version after: for a commit, the version that it made.
  public var version: Version { after.version }
  /// The name of the commit's writer, as given to `write(origin:)`; nil for the difference of other versions.
  public var origin: String? { record.origin }
  /// How many objects differ, over all entities; an object that was deleted and inserted again counts once.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes.
  public var changeCount: Int {
    tables.reduce(0) { count, table in
      count + ObjectEdit.edits(changedRows(in: table), after.state.catalog.entities[table].ids).count
    }
  }

  /// Whether nothing differs: no entity has ``changes(of:)``. A value that was changed back does not differ.
  ///
  /// - Complexity: O(*e*) for *e* entities, and O(*k* log *n*) for *k* rows that were written in between.
  public var isEmpty: Bool { tables.allSatisfy { isSame($0) || changedRows(in: $0).isEmpty } }

  /// The entities whose objects may differ, in the order in which the store was made with them: all entities
  /// that were written to in between, also if everything was changed back.
  ///
  /// - Complexity: O(*e*) for *e* entities.
  public var entities: [any Entity.Type] {
    tables.filter { !isSame($0) }.map { after.state.catalog.entities[$0].type }
  }

  /// The objects of an entity that differ (Y1), in the insertion order of the older version; new ones last.
  ///
  /// An object that was deleted and inserted again is one object, with its value before and after. It has another place
  /// in insertion order, and both values may be equal.
  ///
  /// - Returns: a collection that makes objects as they are asked for.
  /// - Complexity: O(*k* log *n*) for *k* changes, however many commits lie between.
  public func changes<Element: Entity>(of type: Element.Type) -> ObjectDifferences<Element> {
    guard let table = after.state.catalog.index(of: type), tables.contains(table) else {
      return ObjectDifferences(edits: [], before.state, after.state)
    }
    return ObjectDifferences(changedRows(in: table), in: table, before.state, after.state)
  }

  /// The rows of a table that differ. A commit names no others (T3); between two versions, a row that was
  /// changed and changed back has another stamp and the same value, and is left out.
  private func changedRows(in table: Int) -> [RowChange] {
    if record.deltas != nil { return record.rows(in: table) }
    let info = after.state.catalog.entities[table]
    return record.rows(in: table).filter { row in
      guard let old = row.old, let new = row.new else { return true }
      return !info.isSame(old, new)
    }
  }

  /// Both versions; of a commit the version, the origin and how many objects changed.
  public var description: String {
    if record.deltas == nil { return "version \(before.version) to version \(version)" }
    return "version \(version)\(origin.map { " by \($0)" } ?? ""): \(changeCount) objects changed"
  }

  /// The tables of both versions: a grouped result has one more, for its rows.
  private var tables: Range<Int> { 0..<min(before.state.tables.count, after.state.tables.count) }

  private func isSame(_ table: Int) -> Bool {
    before.state.tables[table].rows.isIdentical(to: after.state.tables[table].rows)
  }
}

extension Snapshot {
  /// The difference from another version of the same store.
  ///
  /// ```swift
  /// let before = store.snapshot()
  /// try await store.write { tx in … }
  /// let changes = try store.snapshot().difference(from: before).changes(of: Post.self)
  /// ```
  /// - Parameter older: the version to compare with; it may also be newer than this one.
  /// - Throws: `differentStores` if it is of another store, or of a transaction that was not committed.
  /// - Complexity: O(1). Reading its changes takes O(*k* log *n*) for *k* objects that differ.
  public func difference(from older: Snapshot) throws(StoreError) -> StoreDifference {
    try state.requireSameStore(as: older.state)
    return StoreDifference(CommitRecord(from: older.state, to: state))
  }
}
