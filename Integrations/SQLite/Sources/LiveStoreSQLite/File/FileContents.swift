import GRDB
import LiveStore

/// What the file says about itself: its version, and its tables with their columns, number of rows and checksums.
///
/// In the tables `livestore_file` and `livestore_tables`. A checksum over all of it finds what was damaged there.
struct FileContents: Sendable {
  /// How many versions have been written to the file.
  var version: Int64 = 0
  var tables: [String: TableRecord] = [:]

  /// Marks the files of this library for SQLite and `file(1)`.
  static let applicationID: Int64 = 0x4C53_4653
  /// The form of the file; later ones have larger numbers.
  static let format: Int64 = 1

  /// Whether a database has nothing in it.
  static func isEmpty(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
      && Int64.fetchOne(db, sql: "PRAGMA application_id") == 0
  }

  /// Makes the tables of an empty database.
  static func create(_ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(format);
        CREATE TABLE livestore_file (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE livestore_tables
          (name TEXT PRIMARY KEY, columns TEXT NOT NULL, rows INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
        """)
    try FileContents().write(to: db)
  }

  init() {}

  /// Reads and checks them.
  ///
  /// - Throws: `notAStoreFile`, `newerFormat`, `damaged`.
  init(_ db: Database) throws {
    guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == Self.applicationID else {
      throw StoreFileError(.notAStoreFile, "The file is a database, and none that this library made.")
    }
    guard let format = try Int64.fetchOne(db, sql: "PRAGMA user_version"), format == Self.format else {
      throw StoreFileError(
        .newerFormat,
        "The file has another form than this version of the library writes. Open it with the newest version.")
    }
    for problem in try String.fetchAll(db, sql: "PRAGMA quick_check(1)") where problem != "ok" {
      throw StoreFileError(.damaged, "The file is damaged: \(problem)")
    }
    let values = try Row.fetchAll(db, sql: "SELECT key, value FROM livestore_file").map { row in
      (key: String.fromDatabaseValue(row[0]), value: Int64.fromDatabaseValue(row[1]))
    }
    version = values.first { $0.key == "version" }?.value ?? -1
    for row in try Row.fetchAll(db, sql: "SELECT name, columns, rows, checksum FROM livestore_tables") {
      // By themselves: a row gives a value of another type than is asked for by ending the process.
      guard let name = String.fromDatabaseValue(row[0]),
        let names = Self.names(String.fromDatabaseValue(row[1])),
        let rows = Int.fromDatabaseValue(row[2]), let sum = Int64.fromDatabaseValue(row[3])
      else { throw Self.damaged }
      var record = TableRecord(name, ColumnNames(names))
      (record.rows, record.checksum) = (rows, sum)
      tables[name] = record
    }
    guard values.first(where: { $0.key == "check" })?.value == checksum else { throw Self.damaged }
    for record in tables.values where try Self.columns(of: record.name, db) != record.columns.names {
      throw StoreFileError(
        .damaged, "The columns of table \(record.name) are not those that were written.", table: record.name)
    }
  }

  /// Finds what tables there are, whatever the file says about them.
  init(damaged db: Database) throws {
    let names = try String.fetchAll(
      db,
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'livestore\\_%' ESCAPE '\\'"
    )
    for name in names {
      var record = TableRecord(name, ColumnNames(try Self.columns(of: name, db)))
      let list = try? String.fetchOne(
        db, sql: "SELECT columns FROM livestore_tables WHERE name = ?", arguments: [name])
      if let names = Self.names(list), names != record.columns.names {
        // A value under another name would be missing from its object, and no checksum would say so.
        throw StoreFileError(
          .damaged, "The columns of table \(name) are not those that were written.", table: name)
      }
      let rows = try? Int.fetchOne(
        db, sql: "SELECT rows FROM livestore_tables WHERE name = ?", arguments: [name])
      // Whatever it says, it is not that much.
      record.rows = min(max(0, rows ?? 0), 1 << 40)
      tables[name] = record
    }
  }

  private static let damaged = StoreFileError(
    .damaged,
    "The file is damaged: its list of tables is not the one that was written. Open it with repair: .skipDamagedRows to keep the rows that are whole."
  )

  private static func columns(of table: String, _ db: Database) throws -> [String] {
    try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(table)))").map {
      String.fromDatabaseValue($0["name"]) ?? ""
    }.filter { $0 != "_place" && $0 != "_check" }
  }

  /// The names in a JSON array; nil if it is none.
  private static func names(_ text: String?) -> [String]? {
    guard let text, case .array(let elements) = try? JSONValue(parsing: text) else { return nil }
    let names = elements.compactMap { element in if case .string(let name) = element { name } else { nil } }
    return names.count == elements.count ? names : nil
  }

  /// Writes them, as the last part of a transaction.
  func write(to db: Database) throws {
    for record in tables.values {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO livestore_tables VALUES (?, ?, ?, ?)").execute(
        arguments: [
          record.name, "\(JSONValue.array(record.columns.names.map(JSONValue.string)))", record.rows,
          record.checksum,
        ])
    }
    for (key, value) in [("version", version), ("check", checksum)] {
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO livestore_file VALUES (?, ?)").execute(
        arguments: [key, value])
    }
  }

  private var checksum: Int64 {
    var values: [ColumnValue] = [.integer(version)]
    for record in tables.values.sorted(by: { $0.name < $1.name }) {
      values += [.text(record.name), .integer(Int64(record.rows)), .integer(record.checksum)]
      values += record.columns.names.map(ColumnValue.text)
    }
    return RowChecksum.of(values, place: 0)
  }
}
