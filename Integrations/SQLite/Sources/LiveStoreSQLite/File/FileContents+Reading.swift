import Crypto
import Foundation
import GRDB
import GRDBSQLite
import LiveStore

// MARK: Reading

extension FileContents {
  /// Reads and checks them.
  ///
  /// - Parameter checksPages: whether all pages of the file are checked before, which takes as long as reading them.
  /// - Returns: how rows are stored, too.
  /// - Throws: `notAStoreFile`, `newerFormat`, `wrongKey`, `damaged`.
  static func read(_ db: Database, key: SymmetricKey?, checksPages: Bool = true) throws -> (
    contents: Self, format: RowFormat
  ) {
    try requireOwn(db)
    let headerFormat = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    if !formats.contains(headerFormat) {
      // A newer library has written its number in the list of tables, too. A table that others made is not read.
      guard try hasContents(db), try contents(fileKey(db, key), db) != nil else {
        throw StoreFileError(
          .newerFormat,
          "The file is of another format than this version of the library writes. Open it with the newest version."
        )
      }
    }
    try requirePlain(db)
    // First, so that a wrong key is not taken for damage.
    let fileKey = try fileKey(db, key)
    if checksPages { try requireIntact(db) }
    guard let contents = try contents(fileKey, db) else { throw damaged }
    fileKey?.addSeals(contents.seals)
    if contents.tables.count > maximumTables {
      throw StoreFileError(
        .damaged, "The file has \(contents.tables.count) tables, and no more than \(maximumTables) are read.")
    }
    if contents.format != headerFormat {
      throw StoreFileError(
        .damaged,
        "The header of the file names format \(headerFormat); the contents are of format \(contents.format).\(advice)"
      )
    }
    let rowFormat = contents.rowFormat(fileKey)
    for record in contents.tables.values
    where try !RowFormat.isSame(columns(of: record.name, db), rowFormat.columnNames(record)) {
      throw StoreFileError(
        .damaged, "The columns of table \(record.name) are not those that were written.", table: record.name)
    }
    try contents.requirePlainTables(rowFormat, db)
    return (contents, rowFormat)
  }

  /// Reads those of a copy of a file whose rows are stored in a known way.
  ///
  /// - Throws: `damaged`.
  static func read(copy db: Database, _ format: RowFormat) throws -> Self {
    let key: FileKey? = if case .sealed(let key) = format { key } else { nil }
    guard let contents = try contents(key, db) else { throw damaged }
    return contents
  }

  /// Checks all pages of a file, which takes as long as reading them.
  ///
  /// - Throws: `damaged`.
  static func requireIntact(_ db: Database) throws {
    // SQLite takes a bit of memory for each page that there should be. A file that is replaced meanwhile has few.
    let (pages, size, files) = try sizes(db)
    if pages > 1 << 24, pages * size > files {
      throw StoreFileError(
        .damaged, "The file is damaged: it has \(files) bytes, and should have \(pages * size).")
    }
    // Checks of tables are no damage, and may compute anything.
    try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
    for problem in try String.fetchAll(db, sql: "PRAGMA quick_check(1)") where problem != "ok" {
      let beginning = String(problem.unicodeScalars.prefix(4_000))
      // A page that cannot be read now is no damage; one that the device cannot read has another code.
      if beginning.contains("error code=\(ResultCode.SQLITE_IOERR_READ.rawValue)") {
        throw DatabaseError(resultCode: .SQLITE_IOERR, message: "a page cannot be read now")
      }
      let reason = beginning.replacing("*** in database main ***\n", with: "")
      throw StoreFileError(.damaged, "The file is damaged: \(reason).")
    }
  }

  /// How many pages the file says it has, how many bytes each has, and how many the file and its log have.
  static func sizes(_ db: Database) throws -> (pages: Int, pageSize: Int, files: Int) {
    // The number of pages is what the log says, which may be more than there are.
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    let name = sqlite3_db_filename(db.sqliteConnection, "main").map { String(cString: $0) } ?? ""
    if name.isEmpty { return (pages, size, pages * size) }
    let files = try ["", "-wal"].reduce(0) { $0 + Int(try FileStamp.existing(name + $1)?.size ?? 0) }
    return (pages, size, files)
  }

  /// What can be found out about a damaged file.
  struct Remainder {
    var contents: FileContents
    let format: RowFormat
    /// Whether the file says which rows there were.
    let hasRecords: Bool
    /// What the file should have, and has not, or has besides.
    let missing: [DamagedRow]
  }

  /// How many tables are read, and repaired. To make so many takes seconds, and the time grows with the square of their number.
  static let maximumTables = 10_000

  /// Finds what tables there are, whatever the file says about them.
  ///
  /// - Throws: `wrongKey`; `damaged` if that cannot be found.
  static func read(damaged db: Database, key: SymmetricKey?) throws -> Remainder {
    let hasContents = try FileFailure.unlessDamaged { try Self.hasContents(db) } ?? false
    if !hasContents, key != nil { throw Self.damaged }
    // Without a key, nothing of it is needed.
    let fileKey =
      try key != nil
      ? fileKey(db, key) : hasContents ? FileFailure.unlessDamaged { try Self.fileKey(db, nil) } ?? nil : nil
    let promised =
      try hasContents ? FileFailure.unlessDamaged { try Self.contents(fileKey, db) } ?? nil : nil
    if let promised { fileKey?.addSeals(promised.seals) }
    if fileKey != nil, promised == nil {
      throw StoreFileError(
        .damaged,
        "The file cannot be repaired: what names the properties of its sealed rows is damaged. Restore it from a backup."
      )
    }
    var contents = FileContents()
    let headerFormat = try Int64.fetchOne(db, sql: "PRAGMA user_version")
    contents.format = promised?.format ?? (headerFormat == 1 ? 1 : Self.format)
    let format = contents.rowFormat(fileKey)
    // Later versions are larger than any that was written.
    contents.version = min(promised?.version ?? 1 << 40, highestRepaired)
    contents.schema = promised?.schema ?? 0
    contents.changes = promised?.changes ?? []
    contents.damagedRows = promised?.damagedRows ?? []
    // No virtual ones: to ask for their columns has their modules read what others have written.
    let condition =
      "type = 'table' AND rootpage > 0 AND typeof(sql) = 'text' AND substr(sql, 1, 13) = 'CREATE TABLE '"
    let names = try String.fetchAll(db, sql: "SELECT name FROM \(entries) WHERE \(condition)")
    let tables = Self.distinct(names, promised)
    if tables.count > maximumTables {
      throw StoreFileError(
        .damaged,
        "The file cannot be repaired: it has \(tables.count) tables, and no more than \(maximumTables) can be."
      )
    }
    var missing: [DamagedRow] = []
    for name in tables {
      try Task.checkCancellation()
      // In any other, to find an order for its rows takes all of them, which may have no end.
      guard try FileFailure.unlessDamaged({ try isOrdered(name, db) }) ?? false else {
        if promised == nil || promised?.tables[name] != nil {
          let reason = "its rows have no places, so they are left out"
          missing.append(DamagedRow(table: name, row: nil, reason: reason))
        }
        continue
      }
      // A table that the file does not speak of may be of another program's making: a virtual one has no columns here.
      guard
        let columns = promised?.tables[name] == nil
          ? try FileFailure.unlessDamaged({ try Self.columns(of: name, db) })
          : try Self.columns(of: name, db),
        promised?.tables[name] != nil
          || columns.allSatisfy(TableNames.isReadable) && format.isTable(columns)
      else {
        if promised == nil {
          let reason = "its columns are not those of an entity, so its rows are left out"
          missing.append(DamagedRow(table: name, row: nil, reason: reason))
        }
        continue
      }
      if promised == nil {
        let reason =
          "what kinds of values its columns have is lost: now and later, a Bool may be read as a number, or a text as a list"
        missing.append(DamagedRow(table: name, row: nil, reason: reason))
      }
      var record = promised?.tables[name] ?? TableRecord(name, ColumnNames(columns.dropFirst(2)))
      if contents.tables[name] != nil {
        let reason = "the name of another table is the same, but for its form in Unicode"
        missing.append(DamagedRow(table: name, row: nil, reason: reason))
        continue
      }
      if !RowFormat.isSame(columns, format.columnNames(record)) {
        guard let found = locate(format.columnNames(record), in: columns) else {
          throw StoreFileError(
            .damaged, "Columns of table \(name) that were written are not there.", table: name)
        }
        record.namesInFile = found
        for column in columns where !found.contains(where: { RowFormat.isSame([$0], [column]) }) {
          let reason = "its column \(column), which this library did not make, is left out"
          missing.append(DamagedRow(table: name, row: nil, reason: reason))
        }
      }
      contents.tables[name] = record
    }
    for record in promised?.tables.values.sorted(by: { $0.name < $1.name }) ?? []
    where record.rows > 0 && contents.tables[record.name] == nil {
      let reason = "\(record.rows) rows are missing: the file has no such table"
      missing.append(DamagedRow(table: record.name, row: nil, reason: reason))
    }
    return Remainder(
      contents: contents, format: format, hasRecords: promised != nil, missing: missing)
  }

  /// One name of each table: SQLite takes all that differ in the case of letters for that of the first entry. The one that was
  /// written stands for the others.
  private static func distinct(_ names: [String], _ promised: FileContents?) -> [String] {
    // By bytes, as SQLite has it.
    var known: Set<[UInt8]> = []
    let allowed = names.filter { TableNames.isAllowed($0) }
    let written = allowed.filter { name in
      promised?.tables[name].map { $0.name.utf8.elementsEqual(name.utf8) } ?? false
    }
    return (written + allowed).filter { known.insert(Array($0.foldedAsName.utf8)).inserted }
  }

  /// Finds the columns that were written in a table whose columns differ: by their names, and where there is none of a name,
  /// which may be damaged, by their places. The checksums of rows tell whether it is right; sealed rows, too.
  private static func locate(_ names: [String], in columns: [String]) -> [String]? {
    let isNamed = { (column: String) in names.contains { RowFormat.isSame([$0], [column]) } }
    var found: [String] = []
    for (index, name) in names.enumerated() {
      if let column = columns.first(where: { RowFormat.isSame([$0], [name]) }) {
        found.append(column)
      } else if index < columns.count, !isNamed(columns[index]), TableNames.isReadable(columns[index]) {
        found.append(columns[index])
      } else {
        return nil
      }
    }
    return found
  }

  private static let damaged = StoreFileError(
    .damaged,
    "The file is damaged: its list of tables is not the one that was written. Open it with repair: .skipDamagedRows to keep the rows that are whole."
  )

  /// How rows are stored.
  private func rowFormat(_ key: FileKey?) -> RowFormat {
    key.map(RowFormat.sealed) ?? .columns(format: format)
  }

  /// The key of the file, if that of the user fits; nil if it is not encrypted.
  private static func fileKey(_ db: Database, _ userKey: SymmetricKey?) throws -> FileKey? {
    guard case .blob(let salt)? = try value("salt", db) else {
      if userKey == nil { return nil }
      throw StoreFileError(
        .wrongKey, "The file is not encrypted. Open it without a key; changeKey(to:) encrypts it.")
    }
    guard let userKey else {
      throw StoreFileError(.wrongKey, "The file is encrypted. Open it with its key.")
    }
    let key = try FileKey(userKey, salt: salt)
    guard case .blob(key.check)? = try value("check", db) else {
      throw StoreFileError(.wrongKey, "The file was written with another key. Nothing was changed.")
    }
    return key
  }

  private static func value(_ key: String, _ db: Database) throws -> ColumnValue? {
    try Row.fetchOne(db, sql: "SELECT value FROM livestore_file WHERE key = ?", arguments: [key]).map {
      ColumnValue($0[0] as DatabaseValue)
    }
  }

  /// The contents that were written; nil if they are damaged.
  private static func contents(_ key: FileKey?, _ db: Database) throws -> Self? {
    let text: String
    switch (key, try value("contents", db)) {
    case (nil, .text(let value)?):
      guard case .integer(checksum(value))? = try Self.value("check", db) else { return nil }
      text = value
    case (let key?, .blob(let bytes)?):
      guard let opened = key.open(bytes, .contents) else { return nil }
      text = String(decoding: opened, as: UTF8.self)
    default: return nil
    }
    var contents = (try? JSONValue(parsing: text)).flatMap(FileContents.init(json:))
    try contents?.applyCopyMark(db)
    return contents
  }

  /// Whether a table's rows stand in the order of their places.
  private static func isOrdered(_ table: String, _ db: Database) throws -> Bool {
    let keys = try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(table)))").filter {
      Int.fromDatabaseValue($0["pk"]) != 0
    }
    // A key with an index of its own is not the number of a row.
    let hasIndex = try Row.fetchAll(db, sql: "PRAGMA index_list(\(quoted(table)))").contains {
      String.fromDatabaseValue($0["origin"]) == "pk"
    }
    return !hasIndex && keys.count == 1
      && RowFormat.isSame([String.fromDatabaseValue(keys[0]["name"]) ?? ""], ["_place"])
      && String.fromDatabaseValue(keys[0]["type"])?.uppercased() == "INTEGER"
  }

  static func columns(of table: String, _ db: Database) throws -> [String] {
    try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(table)))").map {
      String.fromDatabaseValue($0["name"]) ?? ""
    }
  }
}
