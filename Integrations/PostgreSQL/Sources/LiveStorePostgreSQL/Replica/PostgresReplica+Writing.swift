public import LiveStore

extension PostgresReplica {
  /// Runs statements as one transaction of the server, and returns when its effect is in the store, and
  /// all that was committed before.
  ///
  /// ```swift
  /// try await replica.write { sql in
  ///   try await sql.execute("UPDATE posts SET title = \(title) WHERE id = \(id)")
  /// }
  /// ```
  /// Values within the text are parameters of the statement, never part of its text.
  /// - Parameter body: runs the statements. If it throws, the transaction is rolled back.
  /// - Returns: what the body returns.
  /// - Throws: what the body throws; `serverError` with its SQLSTATE; `connectionFailed`, also while the commit runs, and
  ///   when another server takes over meanwhile: the error then says that its outcome is not known; `closed`; `CancellationError`, which after the commit leaves its
  ///   effect as it is.
  @discardableResult
  public func write<Result>(_ body: (SQLTransaction) async throws -> Result) async throws -> Result {
    let history = engine.history
    let (result, commit) = try await engine.pool.withTransaction(body)
    try await engine.synced(to: commit.lsn, commit.xid, of: history)
    return result
  }

  /// Shows an edit in the store at once, and runs statements at the server that do the same; returns when their effect
  /// has taken the place of the edit.
  ///
  /// ```swift
  /// try await replica.write(optimistically: { tx in
  ///   try tx.update(Post.self, id) { $0.likeCount += 1 }
  /// }) { sql in
  ///   try await sql.execute("UPDATE posts SET like_count = like_count + 1 WHERE id = \(id)")
  /// }
  /// ```
  /// The edit is a commit with the origin `optimistic`. When the transaction comes back, its commit of the store has what
  /// the server did in place of the edit: nothing changes where both did the same. If it fails, the edit is undone.
  /// While it is shown, the edit runs again on each state of the server; so it must have no other effect, and reads what
  /// others write in the meantime.
  ///
  /// The edit changes replicated entities alone, as the server decides on nothing else. It is `readOnly` to write a
  /// ``Local`` entity in it, or to delete what one links to by a rule that would change it.
  /// - Parameters:
  ///   - edit: edits replicated entities. If it throws, nothing is shown or sent.
  ///   - body: runs the statements.
  /// - Returns: what the body returns.
  /// - Throws: what the edit throws; as ``write(_:)``. Then the edit is no longer shown. If the store refuses to undo
  ///   it, by a link of a ``Local`` entity that cannot be removed, a `StoreError` of that: it is undone with a later
  ///   transaction of the server.
  @discardableResult
  public func write<Result>(
    optimistically edit: @escaping @Sendable (inout WriteTransaction) throws -> Void,
    _ body: (SQLTransaction) async throws -> Result
  ) async throws -> Result {
    let (id, history) = (engine.nextEdit(), engine.history)
    do {
      try await engine.begin(id, edit)
      let (result, commit) = try await engine.pool.withTransaction { sql in
        // The stream may have the transaction before the commit is answered.
        let xid = try await sql.query("SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text AS xid")
        if let xid = try xid.first.flatMap({ UInt64(try $0.decode("xid", as: String.self)) }) {
          try await engine.setTransaction(xid, of: id)
        }
        return try await body(sql)
      }
      try await engine.synced(to: commit.lsn, commit.xid, of: history)
      try await engine.end(id)
      return result
    } catch {
      try await engine.end(id)
      throw error
    }
  }
}
