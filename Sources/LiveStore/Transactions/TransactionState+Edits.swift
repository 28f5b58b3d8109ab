// The edits of a transaction, in tables whose entity is statically known.

extension TransactionState {
  /// The table of an object. Checks the object against its schema while the table is empty.
  func table<Element: Entity>(for object: Element) throws(StoreError) -> Int {
    let table = try writableTable(of: Element.self)
    if tables[table].rows.isEmpty {
      let check = catalog.entities[table].check
      try withObject(object, check)
    }
    return table
  }

  /// Sets the row number that the next object of an entity gets.
  ///
  /// - Throws: `invalidRestoration` if it may have been given before, or numbers behind it could be too large.
  func setNextRow<Element: Entity>(of type: Element.Type, to row: UInt64) throws(StoreError) {
    let table = try writableTable(of: type)
    guard row >= tables[table].nextRow, row < 1 << 47 else {
      throw StoreError(
        StoreError.invalidRestoration,
        "An object of \(catalog.entities[table].name) cannot have the place \(row): places ascend, from \(tables[table].nextRow) on, and are below \(1 << 47).",
        entity: catalog.entities[table].name)
    }
    tables[table].nextRow = row
  }

  /// The object with an id.
  func object<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> Element? {
    let context = idContext
    return withExtendedLifetime(context) { context.object(type, id)?.pointee }
  }

  /// All tables as they are now, frozen.
  var asState: StoreState {
    StoreState(
      version: version, context: context, pins: VersionPins(),
      isProvisional: true)
  }

  /// The rows of a query as they are now, frozen.
  func results<Element: Entity>(of query: Query<Element>) -> Results<Element> {
    let state = asState
    return Results(state: state, window: state.context.evaluate(query))
  }

  func row<Element: Entity>(of id: Element.ID, in table: Int, _ type: Element.Type) -> UInt64? {
    row(of: id, hash: idHash(id), in: table, type)
  }

  private func row<Element: Entity>(
    of id: Element.ID, hash: UInt64, in table: Int, _: Element.Type
  ) -> UInt64? {
    // A new id needs no more than this lookup, and the index alone is retained for it.
    let row = tables[table].ids.row(of: hash)
    if row == 0 { return nil }
    // Nor does an id whose hash no other id has. (Rows of this table hold Elements.)
    if isEqualValue(tables[table].existing(row).object(as: Element.self).pointee.id, id) { return row }
    return tables[table].find(
      hash: hash,
      // Rows of this table hold Elements.
      isMatch: { isEqualValue($0.object(as: Element.self).pointee.id, id) },
      compare: idComparison(id, Element.self)
    )?.row
  }

  /// Records that there is no object with an id, and returns the error that says so.
  ///
  /// By itself, since an optional of the object's type takes time to look up, even where it is not used.
  @inline(never)
  func notFound<Element: Entity>(_ type: Element.Type, _ id: Element.ID) -> StoreError {
    trace?.read(type, id, nil)
    return StoreError.notFound(type, shown(id))
  }

  /// The rows of a query, listed before any of them is edited.
  ///
  /// - Throws: `filterTooExpensive`.
  func rows<Element: Entity>(of query: Query<Element>) throws(StoreError) -> [UInt64] {
    let window = context.evaluate(query)
    if let error = window.failure { throw error }
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    let rows = window.ranks.compactMap { _ in cursor.next().map { window.rowNumber($0.key) } }
    guard window.tree.layout.areOccurrences else { return rows }
    // An object that a list holds twice is edited once.
    var seen: Set<UInt64> = []
    return rows.filter { seen.insert($0).inserted }
  }

  func insert<Element: Entity>(_ object: Element, in table: Int) throws(StoreError) {
    let (info, id) = (catalog.entities[table], object.id)
    let hash = idHash(id)
    if row(of: id, hash: hash, in: table, Element.self) != nil { throw info.duplicateID(shown(id)) }
    tables[table].append(object, hash: hash, info, stamp: version.number)
  }

  /// - Parameter original: the object that this write replaced the first time, if it is repeated.
  func upsert<Element: Entity>(
    _ object: Element, insteadOf original: Element? = nil, in table: Int
  ) throws(StoreError) {
    let id = object.id
    let hash = idHash(id)
    if let row = row(of: id, hash: hash, in: table, Element.self) {
      try replaceAgain(row, by: object, insteadOf: original, in: table)
    } else {
      tables[table].append(object, hash: hash, catalog.entities[table], stamp: version.number)
    }
  }

  func replace<Element: Entity>(_ row: UInt64, by object: Element, in table: Int) {
    var object = object
    withMutableObject(&object) { replace(row, by: $0, in: table) }
  }

  /// Replaces the object in a row. Its lists keep the labels of entries that the old object had.
  func replace(_ row: UInt64, by object: UnsafeMutableRawPointer, in table: Int) {
    let info = catalog.entities[table]
    let old = tables[table].existing(row)
    for align in info.alignments { align(object, old) }
    let isSame = info.isSame(old, UnsafeRawPointer(object))
    if info.hasIgnored { hasIgnoredEdits = true }
    if editDepth > 0 && (!isSame || info.hasIgnored) {
      replacedInEdits.append(RowKey(table: table, row: row))
    }
    if isSame && !info.hasIgnored { return }
    let before = tables[table].replace(row, old, by: object, info, stamp: isSame ? nil : version.number)
    if !isSame, row < base.tables[table].nextRow { list(row, in: table, stampedBefore: before) }
  }

  /// The object that a write replaces, if repeating the write needs it: in an optimistic transaction, for an entity
  /// with ignored properties.
  func replaced<Element: Entity>(_ type: Element.Type, _ id: Element.ID, in table: Int) -> Element? {
    trace != nil && catalog.entities[table].hasIgnored ? object(type, id) : nil
  }

  /// Repeats a replacement on another state, in which other writers may have changed ignored properties (T7).
  ///
  /// - Parameter original: the object replaced the first time; nil where nothing is ignored.
  /// - Throws: `conflict` when another writer changed an ignored property that this write sets.
  func replaceAgain<Element: Entity>(
    _ row: UInt64, by object: Element, insteadOf original: Element?, in table: Int
  ) throws(StoreError) {
    var object = object
    if let original {
      let (info, current) = (catalog.entities[table], tables[table].existing(row))
      let isMerged = withObject(original) { before in
        withMutableObject(&object) { info.keepIgnored(of: current, in: $0, before: before) }
      }
      if !isMerged { throw StoreError(StoreError.conflict, "") }
    }
    replace(row, by: object, in: table)
  }

  func update<Element: Entity, Result>(
    _ row: UInt64, in table: Int, _ edit: (inout Element) throws -> Result
  ) throws -> Result {
    // The row is one of this entity's table.
    var object = tables[table].existing(row).object(as: Element.self).pointee
    if let trace { return try updateRecorded(&object, row, in: table, edit, trace) }
    return try update(&object, row, in: table, edit)
  }

  /// The same in an optimistic transaction.
  ///
  /// By itself, since an optional of the object's type takes time to look up, even where it is not used.
  @inline(never)
  private func updateRecorded<Element: Entity, Result>(
    _ object: inout Element, _ row: UInt64, in table: Int, _ edit: (inout Element) throws -> Result,
    _ trace: TransactionTrace
  ) throws -> Result {
    let id = object.id
    let original = replaced(Element.self, id, in: table)
    trace.read(Element.self, id, object)
    let result = try update(&object, row, in: table, edit)
    trace.write(Element.self, id) { [object] (state) throws(StoreError) in
      guard let row = state.row(of: id, in: table, Element.self) else {
        throw StoreError(StoreError.notFound, "")
      }
      try state.replaceAgain(row, by: object, insteadOf: original, in: table)
    }
    return result
  }

  /// - Parameter object: a copy of the object in the row.
  private func update<Element: Entity, Result>(
    _ object: inout Element, _ row: UInt64, in table: Int, _ edit: (inout Element) throws -> Result
  ) throws -> Result {
    let id = object.id
    let (result, isReplaced) = try running(edit, on: &object, row, in: table)
    guard tables[table].object(row) != nil else {
      let name = catalog.entities[table].name
      throw StoreError(
        StoreError.notFound,
        "The closure of an update of \(name) \(MessageText.line(shown(id))) deleted the object. Delete it after the update, or instead of updating it.",
        entity: name, id: shown(id))
    }
    if isReplaced {
      let name = catalog.entities[table].name
      throw StoreError(
        StoreError.nestedWrite,
        "The closure of an update of \(name) \(MessageText.line(shown(id))) wrote the same object by another call, which the update would overwrite. Edit the closure's parameter, or write the object before or after the update.",
        entity: name, id: shown(id))
    }
    guard isEqualValue(object.id, id) else {
      throw catalog.entities[table].identifierChanged(shown(id), to: shown(object.id))
    }
    replace(row, by: object, in: table)
    return result
  }

  /// Runs the closure of an update.
  ///
  /// - Returns: its result, and whether the closure replaced the object in the row by another call.
  private func running<Element: Entity, Result>(
    _ edit: (inout Element) throws -> Result, on object: inout Element, _ row: UInt64, in table: Int
  ) throws -> (result: Result, isReplaced: Bool) {
    let start = replacedInEdits.count
    editDepth += 1
    defer {
      editDepth -= 1
      if editDepth == 0 && !replacedInEdits.isEmpty { replacedInEdits.removeAll() }
    }
    let result = try edit(&object)
    if replacedInEdits.count == start { return (result, false) }
    return (result, replacedInEdits[start...].contains(RowKey(table: table, row: row)))
  }

  func removeAll() {
    for table in tables.indices { removeAll(in: table) }
  }

  private func removeAll(in table: Int) {
    let rows = tables[table].rows
    var cursor = TreeCursor(rows, at: 0)
    while let entry = cursor.next() { touch(entry.key.first, in: table) }
    tables[table].removeAll()
  }
}
