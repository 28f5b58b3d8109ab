import Synchronization

/// The right to write to some entities of a store, which then no other writer has.
///
/// For code that fills a store from another source, as a replica of a server: no other writer edits the
/// source's objects by mistake. See ``Store/reserveWrites(to:)``.
public struct WriteReservation: Sendable {
  let tables: Set<Int>
  /// Identifies the store that made it.
  let writeLock: ObjectIdentifier
}

extension Store {
  /// Reserves entities for one writer. Others can read and observe their objects, and get the error `readOnly` when they
  /// write to them.
  ///
  /// ```swift
  /// let reservation = try store.reserveWrites(to: [Post.self, User.self])
  /// try await store.write(using: reservation, origin: "server") { tx in try tx.upsert(post) }
  /// ```
  /// The source of the objects decides what is valid, and may have more of them than this store. So the
  /// schemas of these entities have no rules here: links may lead to objects that do not exist, and reach
  /// them once they are inserted; a deletion neither deletes nor changes what links to the deleted object;
  /// unique properties are not compared. The rules of other entities hold as before, so they must leave the
  /// source its decisions: a link to one of these entities may not own its target, and may not restrict
  /// deletions, nor may a link to an object that is deleted with one.
  ///
  /// A reservation lasts as long as the store. A copy of the store has none.
  /// - Parameter types: entities that nothing else has reserved.
  /// - Throws: `unknownEntity`; `readOnly` if one of them is reserved; `invalidSchema` if another entity has a rule
  ///   against the source.
  /// - Complexity: O(*l*²) for *l* relations.
  public func reserveWrites(to types: [any Entity.Type]) throws(StoreError) -> WriteReservation {
    let catalog = current.catalog
    var tables: Set<Int> = []
    for type in types { tables.insert(try catalog.require(type)) }
    try core.withLock { (core) throws(StoreError) in
      if let taken = core.reservedTables.intersection(tables).min() {
        throw .readOnly(catalog.entities[taken].name)
      }
      let reserved = core.reservedTables.union(tables)
      try catalog.checkRules(besideReserved: reserved)
      core.reservedTables = reserved
    }
    return WriteReservation(tables: tables, writeLock: ObjectIdentifier(writeLock))
  }

  /// Runs a write transaction that may write to reserved entities, on this thread, waiting for earlier writers.
  ///
  /// ```swift
  /// try store.write(using: reservation, origin: "server") { tx in try tx.delete(Post.self, id) }
  /// ```
  /// - Parameters:
  ///   - reservation: what ``reserveWrites(to:)`` of this store returned.
  ///   - origin: a name for the writer; observers can exclude commits by it.
  ///   - isolation: the caller's actor; leave it out.
  ///   - onCommit: called after the commit and before any other, with its version; with nil if nothing differs, so that
  ///     there is none. It must not write.
  ///   - body: what to write. If it throws, nothing is written.
  /// - Returns: what the body returns.
  /// - Throws: `differentStores` if another store made the reservation; otherwise as `write` without a reservation.
  @discardableResult
  public func write<Result>(
    using reservation: WriteReservation, origin: String? = nil,
    isolation: isolated (any Actor)? = #isolation, onCommit: (Version?) -> Void = { _ in },
    _ body: (inout WriteTransaction) throws -> Result
  ) throws -> Result {
    try write(origin: origin, on: isolation, using: reservation, onCommit: onCommit, body)
  }

  /// The same in asynchronous code, suspending until earlier writers are done.
  ///
  /// ```swift
  /// try await store.write(using: reservation, origin: "server") { tx in try tx.upsert(contentsOf: posts) }
  /// ```
  /// - Throws: `CancellationError` when the task is cancelled while it waits for the write lock; otherwise as the
  ///   blocking form.
  @discardableResult
  public nonisolated(nonsending) func write<Result>(
    using reservation: WriteReservation, origin: String? = nil,
    onCommit: (Version?) -> Void = { _ in }, _ body: (inout WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await writeSuspending(origin, reservation, onCommit: onCommit, body)
  }
}
