package import LiveStore

/// Reads the rows of a table, and applies its changes. Used by one task.
package protocol RowReader: AnyObject {
  var entity: any Entity.Type { get }
  /// What an operator should know of the table: sentences.
  var warnings: [String] { get }

  /// Adds the rows of a copy to those that were copied.
  func stage(_ batch: TupleBatch) throws
  /// Takes the rows that a reader of the same table was given.
  func takeStaged(from other: any RowReader)
  /// How many rows were copied.
  var stagedCount: Int { get }
  /// Makes the copied rows all that the table has.
  ///
  /// - Parameter isLast: whether no other store needs them, so that they are forgotten.
  /// - Throws: `invalidTable` if two rows have one id.
  /// - Complexity: O(*n* log *n*) for *n* rows.
  func replaceAll(in tx: inout WriteTransaction, isLast: Bool) throws

  /// Has the rows that are copied from now on inserted while they come, by what this returns.
  ///
  /// - Parameter count: about how many rows there are.
  /// - Returns: a function that inserts the rows into a table that has none, and returns when they have ended. It blocks its
  ///   thread where it has to wait for them. It throws `invalidTable` if two rows have one id, and the failure with which
  ///   they ended.
  /// - Complexity: O(*n* log *n*) for *n* rows.
  func insertStaged(expecting count: Int) -> @Sendable (inout WriteTransaction) throws -> Void
  /// Says that all rows were copied, or why no others come.
  func endStaging(_ failure: (any Error)?)

  /// Begins a transaction of the server.
  ///
  /// - Parameter other: the reader of the same table that has read the transaction up to here; nil at its beginning.
  func beginChanges(after other: (any RowReader)?)
  func insert(_ row: TupleData, in tx: inout WriteTransaction) throws
  /// - Parameters:
  ///   - old: the replica identity before the update, if that changed, or all columns.
  ///   - isFull: whether it has all columns.
  func update(_ old: TupleData?, isFull: Bool, to new: TupleData, in tx: inout WriteTransaction) throws
  func delete(_ old: TupleData, isFull: Bool, in tx: inout WriteTransaction) throws
  func truncate()
  /// Ends the transaction: the store has what the table has.
  ///
  /// - Throws: `invalidTable` if two rows have one id.
  func finishChanges(in tx: inout WriteTransaction) throws
}

final class TypedRowReader<Element: Entity>: RowReader {
  private let name: TableName
  private let rows: RowFunctions<Element>
  /// The objects of each piece of a copy. Pieces are handed on whole, and joined once.
  private var pieces: [[Element]] = []
  /// Where they are instead, if they are inserted while they come.
  private var stagedRows: StagedRows<Element>?
  /// What the transaction that is applied has done to the table.
  private var fold = RowFold<Element>()

  init(name: TableName, rows: RowFunctions<Element>) { (self.name, self.rows) = (name, rows) }

  var entity: any Entity.Type { Element.self }
  var warnings: [String] { rows.warnings }

  // MARK: Copies

  private(set) var stagedCount = 0

  func stage(_ batch: TupleBatch) throws {
    let objects = try named { try rows.objects(batch) }
    for object in objects { try check(object) }
    add(objects)
  }

  private func add(_ piece: [Element]) {
    stagedCount += piece.count
    if let stagedRows { stagedRows.append(piece) } else { pieces.append(piece) }
  }

  func takeStaged(from other: any RowReader) {
    guard let other = other as? TypedRowReader<Element> else { return }
    for piece in other.pieces { add(piece) }
    (other.pieces, other.stagedCount) = ([], 0)
  }

  func replaceAll(in tx: inout WriteTransaction, isLast: Bool) throws {
    var objects: [Element] = []
    objects.reserveCapacity(stagedCount)
    for index in pieces.indices {
      objects += pieces[index]
      if isLast { pieces[index] = [] }
    }
    if isLast { (pieces, stagedCount) = ([], 0) }
    if tx.count(Element.all) > 0 { try deleteOthers(than: objects, in: &tx) }
    // Those that are left stay where they are.
    if tx.count(Element.all) > 0 { return try tx.upsert(contentsOf: objects) }
    try Self.insert(objects, of: name, in: &tx)
  }

  private static func insert(
    _ objects: some Sequence<Element>, of name: TableName, in tx: inout WriteTransaction
  ) throws {
    do {
      try tx.insert(contentsOf: objects)
    } catch {
      guard error.code == StoreError.duplicateID else { throw error }
      throw duplicate(error.id ?? "", name)
    }
  }

  private func deleteOthers(than objects: [Element], in tx: inout WriteTransaction) throws {
    var ids = Set<Element.ID>(minimumCapacity: objects.count)
    for object in objects {
      let (isNew, first) = ids.insert(object.id)
      if !isNew { throw Self.duplicate("\(first)", name, "\(object.id)") }
    }
    for object in tx.fetch(Element.all) where !ids.contains(object.id) {
      try tx.delete(Element.self, object.id)
    }
  }

  /// - Parameter other: the same id as the other row writes it.
  private static func duplicate(_ id: String, _ name: TableName, _ other: String? = nil) -> PostgresError {
    let hint: String =
      if let other, !id.unicodeScalars.elementsEqual(other.unicodeScalars) {
        "The texts \(id.scalarNames) and \(other.scalarNames) are canonically equivalent, which is one id in Swift."
      } else {
        "The column that is the id must be unique."
      }
    return PostgresError(
      PostgresError.invalidTable,
      "Two rows of table \(name) have the id \(id) of \(Element.self). \(hint)", table: "\(name)", value: id)
  }

  func insertStaged(expecting count: Int) -> @Sendable (inout WriteTransaction) throws -> Void {
    let rows = StagedRows<Element>()
    stagedRows = rows
    return { [name] tx in
      try Self.insert(rows.sequence(expecting: count), of: name, in: &tx)
      if let failure = rows.failure { throw failure }
    }
  }

  func endStaging(_ failure: (any Error)?) {
    stagedRows?.end(failure)
    stagedRows = nil
  }

  // MARK: Changes

  func beginChanges(after other: (any RowReader)?) {
    fold = (other as? TypedRowReader<Element>)?.fold ?? RowFold()
  }

  func insert(_ row: TupleData, in tx: inout WriteTransaction) throws {
    let object = try named { try rows.object(row) { nil } }
    try check(object)
    try fold.put(object, row, in: &tx)
  }

  func update(_ old: TupleData?, isFull: Bool, to new: TupleData, in tx: inout WriteTransaction) throws {
    let id = try named { try rows.id(old ?? new) }
    let object = try named {
      try rows.object(new) { fold.object(id, of: old ?? rows.identity(new), isFull, in: tx) }
    }
    try check(object)
    // An old row is not sent where the key is the same: it has the key of the new one.
    guard let old = old ?? (fold.isAlone(id) ? nil : rows.identity(new)), object.id != id || !fold.isAlone(id)
    else { return try tx.upsert(object) }
    try fold.remove(id, old, isFull, in: &tx)
    try fold.put(object, new, in: &tx)
  }

  func delete(_ old: TupleData, isFull: Bool, in tx: inout WriteTransaction) throws {
    try fold.remove(try named { try rows.id(old) }, old, isFull, in: &tx)
  }

  func truncate() { fold.removeAll() }

  func finishChanges(in tx: inout WriteTransaction) throws {
    if let (first, second) = try fold.finish(in: &tx) {
      throw Self.duplicate("\(first.id)", name, "\(second.id)")
    }
  }

  /// Refuses an id that takes long to hash.
  private func check(_ object: Element) throws {
    // What decodes itself is refused when it is decoded. Comparing types is quicker than casting them.
    guard
      Element.ID.self == String.self || Element.ID.self == String?.self || Element.ID.self == [String].self
        || Element.ID.self == [String?].self
    else { return }
    let texts = (object.id as? String).map { [$0] } ?? (object.id as? [String?])?.compactMap(\.self) ?? []
    guard texts.contains(where: \.hasManyMarks) else { return }
    throw PostgresError(
      PostgresError.invalidTable,
      "A letter of an id in table \(name) has more than \(String.maximumMarks) marks.", table: "\(name)")
  }

  /// Runs code of the user's, whose errors do not say which table they are of.
  private func named<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgresError {
      throw error
    } catch {
      throw PostgresError(
        PostgresError.mismatch,
        "A row of table \(name) cannot be read as \(Element.self). \(DecodingText.of(error))",
        table: "\(name)")
    }
  }
}
