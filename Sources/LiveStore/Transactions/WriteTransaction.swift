/// The store as one writer reads and changes it, until its body returns.
///
/// ```swift
/// try await store.write { tx in
///   try tx.insert(post)
///   try tx.update(Post.self, id) { $0.likeCount += 1 }
///   try tx.delete(Post.where { $0.status == .archived })
/// }
/// ```
/// It reads its own writes, including in indexes. It cannot be copied and cannot leave the closure. Local functions
/// and closures may use it if they are called within the body; a `Task` or a stored closure may not. To pass it to a
/// function, declare the parameter as `_ tx: borrowing WriteTransaction`. An insertion, update or deletion that fails
/// throws at once and changes nothing. Unique properties are checked at commit, so the order inside a transaction is
/// free.
public struct WriteTransaction: ~Copyable {
  package let state: TransactionState

  /// The version of this transaction's commit, if it changes something.
  ///
  /// An optimistic transaction that reads it conflicts with every other commit.
  public var version: Version {
    state.trace?.read(version: state.version)
    return state.version
  }

  /// Whether this is still the transaction that the body was given (T6).
  ///
  /// - Throws: `nestedWrite` when the body has swapped it with that of another store.
  func check(isOf expected: TransactionState) throws(StoreError) {
    if state === expected { return }
    throw StoreError(
      StoreError.nestedWrite,
      "The body swapped its transaction with that of another store. Use each only in its own body.")
  }
}

// MARK: Reading

extension WriteTransaction {
  /// The object with an id, including what this transaction has written, or nil.
  public subscript<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    let object = state.object(type, id)
    state.trace?.read(type, id, object)
    return object
  }

  /// The rows of a query, including what this transaction has written; later writes do not change them.
  public func fetch<Element: Entity>(_ query: Query<Element>) -> Results<Element> {
    let results = state.results(of: query)
    state.trace?.read(query, results)
    return results
  }

  /// How many rows a query has, including what this transaction has written; 0 if its filter exceeds a limit.
  public func count<Element: Entity>(_ query: Query<Element>) -> Int {
    let count = state.context.count(query)
    state.trace?.read(countOf: query, count)
    return count
  }
}

// MARK: Inserting

extension WriteTransaction {
  /// Adds an object, as the last one.
  ///
  /// - Throws: `duplicateID` if an object with its id exists; `invalidSchema` at the first insert of an entity whose
  ///   schema does not mention a stored property; `unknownEntity`.
  /// - Complexity: O(log *n*) for each index.
  public func insert<Element: Entity>(_ object: Element) throws(StoreError) {
    let table = try state.table(for: object)
    do {
      try state.insert(object, in: table)
    } catch {
      state.trace?.read(Element.self, object.id, state.object(Element.self, object.id))
      throw error
    }
    state.trace?.write(Element.self, object.id) { (state) throws(StoreError) in
      try state.insert(object, in: table)
    }
  }

  /// Adds objects, in order. If one of them fails, none is added.
  ///
  /// - Throws: as ``insert(_:)-(Element)``.
  @inlinable
  public func insert<Element: Entity>(contentsOf objects: some Sequence<Element>) throws(StoreError) {
    try savepoint { (tx) throws(StoreError) in
      try tx.forEachPortion(of: objects) { (portion, hashes) throws(StoreError) in
        for object in portion[try tx.append(portion, hashes)...] { try tx.insert(object) }
      }
    }
  }

  /// Adds an object, or replaces the one with its id in place.
  ///
  /// - Throws: `invalidSchema` and `unknownEntity` as ``insert(_:)-(Element)``.
  public func upsert<Element: Entity>(_ object: Element) throws(StoreError) {
    let table = try state.table(for: object)
    let original = state.replaced(Element.self, object.id, in: table)
    try state.upsert(object, in: table)
    state.trace?.write(Element.self, object.id) { (state) throws(StoreError) in
      try state.upsert(object, insteadOf: original, in: table)
    }
  }

  /// Adds or replaces objects, in order.
  ///
  /// - Throws: as ``insert(_:)-(Element)``, except `duplicateID`; then none of them is written.
  @inlinable
  public func upsert<Element: Entity>(contentsOf objects: some Sequence<Element>) throws(StoreError) {
    // Only the first can fail, before anything is written: there is nothing to undo.
    try forEachPortion(of: objects) { (portion, hashes) throws(StoreError) in
      for object in portion[try append(portion, hashes)...] { try upsert(object) }
    }
  }
}

// MARK: Updating

extension WriteTransaction {
  /// Edits the object with an id and returns what the closure returns.
  ///
  /// - Throws: `notFound` if there is none; `identifierChanged` if the closure changes the id; `nestedWrite` if it
  ///   writes the same object by another call, which this one would overwrite; whatever the closure throws. Then the
  ///   object is not edited.
  @discardableResult
  public func update<Element: Entity, Result>(
    _ type: Element.Type, _ id: Element.ID, _ edit: (inout Element) throws -> Result
  ) throws -> Result {
    let table = try state.writableTable(of: type)
    guard let row = state.row(of: id, in: table, type) else { throw state.notFound(type, id) }
    return try state.update(row, in: table, edit)
  }

  /// Edits every object of a query and returns their number.
  ///
  /// - Throws: `identifierChanged`, `filterTooExpensive` if the filter exceeds a limit, and whatever the closure throws;
  ///   then none of them is changed.
  @discardableResult
  public func update<Element: Entity>(
    _ query: Query<Element>, _ edit: (inout Element) throws -> Void
  ) throws -> Int {
    let table = try state.writableTable(of: Element.self)
    if let trace = state.trace { trace.read(query, state.results(of: query)) }
    let rows = try state.rows(of: query)
    return try savepoint { tx in
      var count = 0
      // An earlier edit may have deleted the object.
      for row in rows where tx.state.tables[table].object(row) != nil {
        try tx.state.update(row, in: table, edit)
        count += 1
      }
      return count
    }
  }
}

// MARK: Deleting

extension WriteTransaction {
  /// Deletes the object with an id; false if there was none.
  ///
  /// - Throws: `unknownEntity`.
  @discardableResult
  public func delete<Element: Entity>(_ type: Element.Type, _ id: Element.ID) throws(StoreError) -> Bool {
    let table = try state.writableTable(of: type)
    guard let row = state.row(of: id, in: table, type) else {
      state.trace?.read(type, id, nil)
      return false
    }
    state.remove([row], in: table)
    state.trace?.write(type, id) { (state) throws(StoreError) in
      guard let row = state.row(of: id, in: table, type) else { throw StoreError(StoreError.notFound, "") }
      state.remove([row], in: table)
    }
    return true
  }

  /// Deletes every object of a query and returns their number.
  ///
  /// - Throws: `unknownEntity`; `filterTooExpensive` if the filter exceeds a limit, and then none of them is deleted.
  @discardableResult
  public func delete<Element: Entity>(_ query: Query<Element>) throws(StoreError) -> Int {
    let table = try state.writableTable(of: Element.self)
    if let trace = state.trace { trace.read(query, state.results(of: query)) }
    let rows = try state.rows(of: query)
    state.trace?.write { (state) throws(StoreError) in state.remove(try state.rows(of: query), in: table) }
    state.remove(rows, in: table)
    return rows.count
  }

  /// Deletes every object of an entity and returns their number.
  ///
  /// - Throws: `unknownEntity`.
  @discardableResult
  public func deleteAll<Element: Entity>(_ type: Element.Type) throws(StoreError) -> Int {
    try delete(type.all)
  }

  /// Deletes every object of every entity, as for a log-out.
  ///
  /// - Throws: `readOnly` if one of them is reserved for another writer; then none is deleted.
  public func deleteAll() throws(StoreError) {
    for table in state.tables.indices { try state.requireWritable(table) }
    state.removeAll()
    state.trace?.write { (state) throws(StoreError) in state.removeAll() }
  }
}

// MARK: Rules

extension WriteTransaction {
  /// Deletes objects and removes links until what this transaction has written breaks no rule of the schemas:
  /// for data that may lack a part, such as the rest of a damaged file, or some tables of a server.
  ///
  /// ```swift
  /// try store.write { tx in
  ///   try tx.insert(contentsOf: posts)             // some of their authors may be missing
  ///   for violation in tx.resolveViolations() { print(violation.error.message) }
  /// }
  /// ```
  /// A link to an object that does not exist follows its ``DeleteRule``, as if that object were deleted now:
  /// with `nullify` the link is removed, with `cascade` the object that holds it is deleted, and with
  /// `restrict`, too. An object without a required link is deleted as well. Of two objects with one value of
  /// a unique property, the one that was inserted later is deleted. Objects that a deleted one owns are kept.
  /// - Returns: each object that was deleted, and each link that was removed.
  /// - Complexity: O(log *n*) for each object that this transaction has written, and for each link of it.
  public func resolveViolations() -> [ResolvedViolation] {
    state.trace?.read(version: state.version)
    state.trace?.write { (state) throws(StoreError) in _ = state.resolveViolations() }
    return state.resolveViolations()
  }
}

// MARK: Savepoints

extension WriteTransaction {
  /// Runs a part of the transaction. If it throws, only that part is undone.
  ///
  /// - Throws: whatever the body throws, with its type.
  /// - Complexity: O(1) plus the body.
  public func savepoint<Result, Failure: Error>(
    _ body: (inout WriteTransaction) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (start, traceStart) = (state.savepoint, state.trace?.savepoint)
    var part = WriteTransaction(state: state)
    do {
      return try body(&part)
    } catch {
      state.rollBack(to: start)
      if let traceStart { state.trace?.rollBack(to: traceStart) }
      throw error
    }
  }
}
