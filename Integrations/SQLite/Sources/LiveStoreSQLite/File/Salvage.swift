import GRDB
import LiveStore

/// Objects of which some were lost: each link to one of these follows the delete rule of its relation, as if the object
/// were deleted now. All are read once, and what breaks a rule is found together.
struct Salvage {
  private let tables: [any EntityTable]
  private let format: RowFormat
  private let db: Database
  private let progress: ProgressReporter
  /// Whether rows that are no objects of their types are left out.
  var skipsUnreadable = false

  init(
    _ tables: [any EntityTable], _ format: RowFormat, _ db: Database,
    _ progress: ProgressReporter = ProgressReporter(nil)
  ) {
    (self.tables, self.format, self.db, self.progress) = (tables, format, db, progress)
  }

  /// Deletes the rows of objects that cannot be without those that are missing, and writes those that have lost links.
  ///
  /// - Parameter scratch: an empty store, which then has the objects.
  /// - Returns: what was changed.
  func resolve(_ contents: inout FileContents, _ scratch: Store) throws -> [DamagedRow] {
    var damage: [DamagedRow] = []
    try scratch.write { tx in
      let salvaged = try read(contents, into: &tx, &damage)
      for table in salvaged {
        guard let record = contents.tables[table.name] else { continue }
        var writer = TableWriter(record, format, version: contents.version, db)
        try table.write(to: &writer, tx)
        contents.tables[table.name] = writer.record
      }
      progress.end()
    }
    return damage
  }

  /// The first object that breaks a rule.
  ///
  /// - Parameter scratch: an empty store, which stays empty.
  func firstDamage(_ contents: FileContents, _ scratch: Store) throws -> DamagedRow? {
    struct Found: Error { let row: DamagedRow? }
    do {
      try scratch.write { tx in
        var damage: [DamagedRow] = []
        _ = try read(contents, into: &tx, &damage)
        throw Found(row: damage.first)
      }
      return nil
    } catch let found as Found {
      return found.row
    }
  }

  private func read(
    _ contents: FileContents, into tx: inout WriteTransaction, _ damage: inout [DamagedRow]
  ) throws -> [any SalvagedTable] {
    var salvaged: [any SalvagedTable] = []
    let rows = tables.reduce(0) { $0 + (contents.tables[$1.name]?.rows ?? 0) }
    progress.begin(.checkingRows, .rows, of: rows)
    var before = 0
    for table in tables {
      guard let record = contents.tables[table.name] else { continue }
      var reader = try TableReader(record, format, db, isChecked: true) { [before] row in
        try progress.advance(toRow: row, after: before)
      }
      salvaged.append(try table.salvage(&reader, skipsUnreadable: skipsUnreadable, into: &tx, &damage))
      before += record.rows
    }
    let indices = Dictionary(uniqueKeysWithValues: salvaged.indices.map { (salvaged[$0].name, $0) })
    for violation in tx.resolveViolations() {
      guard let index = violation.error.entity.flatMap({ indices[$0] }) else { continue }
      if let row = salvaged[index].add(violation, tx) { damage.append(row) }
    }
    return salvaged
  }
}

/// The objects of a table that was damaged, and which of them have lost links, or cannot be without those that are
/// missing.
protocol SalvagedTable {
  var name: String { get }

  /// Takes up what the store did about an object.
  ///
  /// - Returns: what to report; nil if the object was deleted later, which is reported by itself.
  mutating func add(_ violation: ResolvedViolation, _ tx: borrowing WriteTransaction) -> DamagedRow?

  /// Writes the rows that differ.
  func write(to writer: inout TableWriter, _ tx: borrowing WriteTransaction) throws
}

struct SalvagedObjects<Element: Entity & Codable>: SalvagedTable {
  let name: String
  private var rows: [RowID<Element.ID>: Int64] = [:]
  /// The rows that differ, and the ids of their objects; nil where there is none any more.
  private var changed: [Int64: Element.ID?] = [:]

  init(name: String) { self.name = name }

  /// Adds the object of a row to the store.
  ///
  /// - Returns: what to report if another object has its id.
  mutating func insert(_ object: Element, row: Int64, into tx: inout WriteTransaction) throws -> DamagedRow? {
    do throws(StoreError) {
      try tx.insert(object)
    } catch {
      guard error.code == StoreError.duplicateID else { throw error }
      changed[row] = .some(nil)
      return DamagedRow(table: name, row: row, reason: "another row has the id \(object.id)")
    }
    rows[RowID(object.id)] = row
    return nil
  }

  /// Whether no object was added.
  var isEmpty: Bool { rows.isEmpty }

  /// Leaves a row out.
  mutating func leaveOut(_ row: Int64) { changed[row] = .some(nil) }

  mutating func add(_ violation: ResolvedViolation, _ tx: borrowing WriteTransaction) -> DamagedRow? {
    guard let id = (violation.object as? Element)?.id, let row = rows[RowID(id)] else { return nil }
    let error = violation.error
    if violation.isDeleted {
      changed[row] = .some(nil)
    } else if tx[Element.self, id] == nil {
      return nil
    } else {
      changed[row] = .some(id)
    }
    guard error.code == StoreError.missingLinkTarget, let link = error.property, let target = error.value
    else {
      return DamagedRow(table: name, row: row, reason: error.message)
    }
    let reason = "its link \(link) leads to \(target), which is lost"
    return DamagedRow(
      table: name, row: row,
      reason: violation.isDeleted ? "\(reason), and it must not be without" : "\(reason): the link is removed"
    )
  }

  func write(to writer: inout TableWriter, _ tx: borrowing WriteTransaction) throws {
    for (row, id) in changed.sorted(by: { $0.key < $1.key }) {
      guard let id else {
        try writer.delete(row)
        continue
      }
      guard let object = tx[Element.self, id] else { continue }
      try writer.put(TypedTable<Element>.properties(of: object, row: row), at: row, isNew: false)
    }
  }
}

/// An id as a key: a text by its bytes, which are those of the object in the store. The standard library hashes a letter with
/// many marks in quadratic time.
private enum RowID<ID: Hashable & Sendable>: Hashable {
  case text([UInt8])
  case other(ID)

  init(_ id: ID) { self = (id as? String).map { .text(Array($0.utf8)) } ?? .other(id) }
}
