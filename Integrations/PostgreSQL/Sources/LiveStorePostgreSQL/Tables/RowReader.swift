package import LiveStore

/// Reads the rows of a table, and applies its changes. Used by one task.
package protocol RowReader: AnyObject {
  var entity: any Entity.Type { get }
  /// What an operator should know of the table: sentences.
  var warnings: [String] { get }

  /// Which rows are left out since the transaction began, or of a copy. The reader forgets them, and those before.
  func takeLeftOut() -> LeftOutChanges
  /// Whether a row was left out for a value that an update did not send, so that a copy may have it.
  var needsCopy: Bool { get }
  /// The last row that was refused.
  var lastRefused: (id: RowID?, value: RefusedValue) { get }
  /// Records what a change of a table that is stopped does to the row for which it is.
  ///
  /// - Parameters:
  ///   - old: as for an update; nil for an insertion, too.
  ///   - new: the row; nil if it is deleted.
  func follow(_ refused: inout RefusedRow, from old: TupleData?, to new: TupleData?)

  /// Has the rows of a copy that is not the first compared with those that the store has, while they come.
  func compareStaged(with comparison: ComparisonStore)
  /// Adds the rows of a copy to those that were copied.
  ///
  /// - Throws: `invalidTable` if two rows have one id, where they are compared.
  func stage(_ batch: TupleBatch) throws
  /// Takes the rows that a reader of the same table was given.
  ///
  /// - Throws: `invalidTable` if two that are left out have one id; as `stage`.
  func takeStaged(from other: any RowReader) throws
  /// How many rows were copied.
  var stagedCount: Int { get }
  /// Checks that no row that was left out has the id of a row that was compared.
  ///
  /// - Throws: `invalidTable` if so.
  func checkStaged() throws
  /// Checks that no row that was left out has the id of an object.
  ///
  /// - Throws: `invalidTable` if so.
  func checkLeftOut(in store: borrowing Snapshot) throws
  /// Makes the rows that were compared all that the table has.
  ///
  /// - Parameter isSource: whether the store has what they were compared with, so that only what differs is written.
  /// - Complexity: O(*k* log *n*) for *k* of *n* rows that differ, if none is deleted; else O(*n* log *n*).
  func replaceAll(in tx: inout WriteTransaction, isSource: Bool) throws

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
  /// - Parameters:
  ///   - leftOut: the rows that are left out before it.
  ///   - other: the reader of the same table that has read the transaction up to here; nil at its beginning.
  func beginChanges(_ leftOut: LeftOutRows, after other: (any RowReader)?)
  func insert(_ rows: TupleBatch, in tx: inout WriteTransaction) throws
  /// Rows with all values take the places of those with their ids.
  func update(_ rows: TupleBatch, in tx: inout WriteTransaction) throws
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
  private let leavesOut: Bool
  private let rows: RowFunctions<Element>
  /// The objects of each piece of a copy, which another reader takes.
  private var pieces: [[Element]] = []
  /// Where they are instead, if they are inserted while they come.
  private var stagedRows: StagedRows<Element>?
  /// Where they are instead, if they are compared while they come.
  private var comparedRows: ComparedRows<Element>?
  /// What the transaction that is applied has done to the table.
  private var fold = RowFold<Element>()

  /// The rows that are left out for a value that an update did not send, by their ids.
  private var incomplete: Set<Element.ID> = []
  private(set) var lastRefused: (id: RowID?, value: RefusedValue) = (nil, .none)

  /// - Parameter leavesOut: whether rows that cannot be read are left out.
  init(name: TableName, leavesOut: Bool, rows: RowFunctions<Element>) {
    (self.name, self.leavesOut, self.rows) = (name, leavesOut, rows)
  }

  var entity: any Entity.Type { Element.self }
  var warnings: [String] { rows.warnings }
  var needsCopy: Bool { !incomplete.isEmpty }

  func takeLeftOut() -> LeftOutChanges {
    defer { fold = RowFold() }
    return fold.changes
  }

  // MARK: Copies

  private(set) var stagedCount = 0

  func compareStaged(with comparison: ComparisonStore) { comparedRows = ComparedRows(comparison) }

  func stage(_ batch: TupleBatch) throws {
    let objects: [Element]
    do {
      objects = try self.objects(of: batch)
    } catch let error as PostgresError where error.isRefusal {
      var readable: [Element] = []
      for row in 0..<batch.count {
        switch try read(batch[row], { nil }) {
        case (_, .success(let object)): readable.append(object)
        case (let id, .failure(let refusal)): try leaveOut(RowID(id), refusal)
        }
      }
      objects = readable
    }
    try add(objects)
  }

  private func objects(of batch: TupleBatch) throws -> [Element] {
    let objects = try named { try rows.objects(batch) }
    for object in objects { try check(object.id) }
    return objects
  }

  private func leaveOut(_ id: RowID, _ refusal: Refusal) throws {
    if fold.changes.updateValue(refusal, forKey: id) != nil { throw refusedDuplicate(id) }
  }

  private func add(_ piece: [Element]) throws {
    stagedCount += piece.count
    if let (first, second) = try comparedRows?.append(piece) {
      throw refusedDuplicate(RowID(first), "\(second)")
    }
    if comparedRows != nil { return }
    if let stagedRows { stagedRows.append(piece) } else { pieces.append(piece) }
  }

  func takeStaged(from other: any RowReader) throws {
    guard let other = other as? TypedRowReader<Element> else { return }
    for piece in other.pieces { try add(piece) }
    (other.pieces, other.stagedCount) = ([], 0)
    for case (let id, let refusal?) in other.takeLeftOut() { try leaveOut(id, refusal) }
  }

  func replaceAll(in tx: inout WriteTransaction, isSource: Bool) throws {
    try comparedRows?.replaceAll(in: &tx, isSource: isSource)
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

  func checkStaged() throws {
    for id in fold.changes.keys {
      if let value = id.value as? Element.ID, comparedRows?.ids.contains(value) == true {
        throw refusedDuplicate(id)
      }
    }
  }

  func checkLeftOut(in store: borrowing Snapshot) throws {
    for id in fold.changes.keys {
      if let value = id.value as? Element.ID, store[Element.self, value] != nil { throw refusedDuplicate(id) }
    }
  }

  private func refusedDuplicate(_ id: RowID, _ other: String? = nil) -> PostgresError {
    lastRefused = (id, .none)
    return Self.duplicate("\(id.value)", name, other)
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

  func beginChanges(_ leftOut: LeftOutRows, after other: (any RowReader)?) {
    let other = other as? TypedRowReader<Element>
    (fold, incomplete) = (other?.fold ?? RowFold(leftOut: leftOut), other?.incomplete ?? [])
  }

  func insert(_ batch: TupleBatch, in tx: inout WriteTransaction) throws {
    let objects = objectsTogether(of: batch)
    if let objects, try fold.insert(objects, in: &tx) { return }
    for index in 0..<batch.count {
      let row = batch[index]
      if let object = objects?[index] {
        try fold.put(.success(object), object.id, row, in: &tx)
      } else {
        let (id, entry) = try read(row) { nil }
        try fold.put(entry, id, row, in: &tx)
      }
    }
  }

  func update(_ batch: TupleBatch, in tx: inout WriteTransaction) throws {
    if fold.areAllAlone, let objects = objectsTogether(of: batch) {
      for object in objects { try fold.set(.success(object), object.id, in: &tx) }
    } else {
      for index in 0..<batch.count { try update(nil, isFull: false, to: batch[index], in: &tx) }
    }
  }

  /// The objects of rows; nil if one is refused, which is found one by one, and of few rows, which take less time so.
  private func objectsTogether(of batch: TupleBatch) -> [Element]? {
    batch.count >= 8 ? try? objects(of: batch) : nil
  }

  func update(_ old: TupleData?, isFull: Bool, to new: TupleData, in tx: inout WriteTransaction) throws {
    let id = try id(of: old ?? new)
    // An old row is not sent where the key is the same: it has the key of the new one.
    func key() -> TupleData { old ?? new.identity(rows.layout.isKey) }
    if !incomplete.isEmpty, fold.isAlone(id) { incomplete.remove(id) }
    let (newID, entry) = try read(new) { fold.entry(id, of: key(), isFull, in: tx) }
    if fold.isAlone(id), old == nil || newID == id { return try fold.set(entry, newID, in: &tx) }
    try fold.remove(id, key(), isFull, in: &tx)
    try fold.put(entry, newID, new, in: &tx)
  }

  func delete(_ old: TupleData, isFull: Bool, in tx: inout WriteTransaction) throws {
    let id = try id(of: old)
    if !incomplete.isEmpty, fold.isAlone(id) { incomplete.remove(id) }
    try fold.remove(id, old, isFull, in: &tx)
  }

  func truncate() {
    incomplete = []
    fold.removeAll()
  }

  func finishChanges(in tx: inout WriteTransaction) throws {
    if let (first, second) = try fold.finish(in: &tx) { throw refusedDuplicate(RowID(first), "\(second)") }
  }

  // MARK: Refused rows

  /// The object of a row, or why it is left out.
  ///
  /// - Parameter previous: what the row was before, under the id that it had.
  /// - Throws: why it is refused, if it is not left out.
  private func read(_ row: TupleData, _ previous: () -> RowFold<Element>.Entry?) throws -> (
    Element.ID, RowFold<Element>.Entry
  ) {
    do {
      let object = try named { try rows.object(row) { try? previous()?.get() } }
      try check(object.id)
      return (object.id, .success(object))
    } catch let error as PostgresError where error.isRefusal {
      guard let id = try? id(of: row) else { throw error }
      let refusal = Refusal(error: error.naming("\(id)"), value: refusedValue(error.column, row))
      lastRefused = (RowID(id), refusal.value)
      if !leavesOut { throw refusal.error }
      guard case .failure(let before)? = previous() else {
        if isUnchanged(error.column, in: row) { incomplete.insert(id) }
        return (id, .failure(refusal))
      }
      if !isUnchanged(error.column, in: row) { return (id, .failure(refusal)) }
      // It stays refused for the value that it has.
      if !hasValue(of: before, row) { incomplete.insert(id) }
      return (id, .failure(before))
    }
  }

  /// The id of a row, which is remembered as refused if it cannot be read.
  private func id(of row: TupleData) throws -> Element.ID {
    do {
      let id = try named { try rows.id(row) }
      try check(id)
      return id
    } catch {
      lastRefused = (nil, .none)
      throw error
    }
  }

  private func isUnchanged(_ column: String?, in row: TupleData) -> Bool {
    guard let index = column.flatMap(rows.layout.index(of:)), index < row.count else { return false }
    return row[index].form == .unchanged
  }

  /// Whether a row still has the value for which it was refused.
  private func hasValue(of refusal: Refusal, _ row: TupleData) -> Bool {
    let column = refusal.error.column
    guard column != nil, refusal.value != .unsent else { return false }
    return isUnchanged(column, in: row) || refusedValue(column, row) == refusal.value
  }

  private func refusedValue(_ column: String?, _ row: TupleData) -> RefusedValue {
    guard let column, let index = rows.layout.index(of: column), index < row.count else { return .none }
    if row[index].form == .unchanged { return .unsent }
    guard row[index].form.isValue else { return .none }
    // A copy has had it in binary or text form. The text of a long one may be much longer.
    let value = FieldValue(
      bytes: row.bytes, range: row[index].range, isBinary: row[index].form == .binary,
      type: rows.layout.types[index], place: ColumnPlace(table: rows.layout.table, column: column))
    let text = value.range.count > 4_096 ? nil : value.text
    return .hash((text.map { Array($0.utf8) } ?? Array(row.value(index))).hashValue)
  }

  func follow(_ refused: inout RefusedRow, from old: TupleData?, to new: TupleData?) {
    guard let new else {
      if let old, id(ofRefused: old) == refused.id { refused.isMended = true }
      return
    }
    let (before, id) = (id(ofRefused: old ?? new), id(ofRefused: new))
    let isSame = before == refused.id
    // Another row may come to the id: the one that was refused, where its transaction is read from the beginning.
    guard isSame || id == refused.id && !refused.isDuplicate else { return }
    if refused.isDuplicate {
      if id != refused.id { refused.isMended = true }
      return
    }
    do {
      let object = try named { try rows.object(new) { nil } }
      try check(object.id)
      if isSame { refused.isMended = true }
    } catch let error as PostgresError where error.isRefusal && !isUnchanged(error.column, in: new) {
      (refused.id, refused.isMended) = (id, false)
      refused.refusal = Refusal(
        error: id.map { error.naming("\($0.value)") } ?? error, value: refusedValue(error.column, new))
    } catch {
      // What is not sent is what was sent before: by the change that was refused, or by one that may have mended the row. Two
      // rows may exchange their ids, so where the id is another, a copy decides.
      if isSame, id != refused.id || !hasValue(of: refused.refusal, new) { refused.isMended = true }
    }
  }

  private func id(ofRefused row: TupleData) -> RowID? { (try? id(of: row)).map { RowID($0) } }

  /// Refuses an id that takes long to hash.
  private func check(_ id: Element.ID) throws {
    // What decodes itself is refused when it is decoded. Comparing types is quicker than casting them.
    guard
      Element.ID.self == String.self || Element.ID.self == String?.self || Element.ID.self == [String].self
        || Element.ID.self == [String?].self
    else { return }
    let texts = (id as? String).map { [$0] } ?? (id as? [String?])?.compactMap(\.self) ?? []
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
