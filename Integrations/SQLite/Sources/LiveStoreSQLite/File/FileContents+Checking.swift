import GRDB

// MARK: Checking

extension FileContents {
  /// The list of tables, as `m`: itself, since an index of it, which a crafted file may have, need not have all of it.
  static let entries = "sqlite_master AS m NOT INDEXED"

  /// Whether a database has nothing in it.
  static func isEmpty(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(entries)") == 0
      && Int64.fetchOne(db, sql: "PRAGMA application_id") == 0
  }

  /// - Throws: `notAStoreFile` unless this library made the database.
  static func requireOwn(_ db: Database) throws {
    guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
      throw StoreFileError(.notAStoreFile, "The file is a database, and none that this library made.")
    }
  }

  /// The same, or that nothing is in it.
  static func requireOwnOrEmpty(_ db: Database) throws { if try !isEmpty(db) { try requireOwn(db) } }

  /// What others have put into the file that would run when it is checked or compacted, or its tables are read or written:
  /// views in the place of tables, virtual tables, triggers, columns that are computed, indexes of expressions, of rows that
  /// meet a condition, or in an order that a program defines, and whatever is added to tables of SQLite's own. What they
  /// compute may have no end. Plain tables of others are left alone.
  ///
  /// - Throws: `damaged` if there is any.
  static func requirePlain(_ db: Database) throws {
    // In another, SQLite changes some scalars of names and texts.
    let encoding = try String.fetchOne(db, sql: "PRAGMA encoding") ?? ""
    if !encoding.utf8.elementsEqual("UTF-8".utf8) {
      throw StoreFileError(
        .damaged, "The texts of the file are in \(encoding); this library writes UTF-8.\(advice)")
    }
    // SQLite does not look at the type of some entries, nor at capital letters of names and types, nor at what stands behind a
    // zero. It removes those alone of a table that is dropped whose `tbl_name` has the same bytes.
    let condition =
      """
      typeof(type) != 'text' OR typeof(name) != 'text' OR typeof(tbl_name) != 'text' OR type NOT IN ('table', 'index')
      OR typeof(rootpage) != 'integer' OR rootpage <= 0 OR type = 'table' AND tbl_name != name
      OR instr(CAST(name AS BLOB), x'00') OR instr(CAST(tbl_name AS BLOB), x'00')
      OR type = 'table' AND (typeof(sql) != 'text' OR substr(sql, 1, 13) != 'CREATE TABLE ')
      OR tbl_name = 'livestore_file' COLLATE NOCASE AND NOT (\(isContents))
      OR type = 'table' AND rootpage > 0 AND EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE hidden IN (2, 3))
      OR type = 'table' AND rootpage > 0 AND EXISTS (
        SELECT 1 FROM pragma_index_list(m.name) AS i, pragma_index_xinfo(i.name) AS c
        WHERE i.partial OR c.cid = -2 OR c.coll COLLATE NOCASE NOT IN ('BINARY', 'NOCASE', 'RTRIM'))
      OR \(isAddedToSQLite)
      """
    let kind = "CASE WHEN type = 'table' AND sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE type END"
    let sql = "SELECT \(kind), name FROM \(entries) WHERE \(condition) ORDER BY rowid LIMIT 1"
    // SQLite ignores a second entry of a name, if it says so, until the first is removed. It is looked for first: the condition
    // reads the columns and indexes of the name for each.
    let twice =
      "SELECT 'second table', name FROM \(entries) WHERE type = 'table' GROUP BY name COLLATE NOCASE HAVING count(*) > 1"
    guard
      let row = try Row.fetchOne(db, sql: "\(twice) LIMIT 1")
        ?? Row.fetchOne(db, sql: sql, arguments: [declaration])
    else { return try KeyChangeTables.requirePlain(db) }
    let (type, name) = (String.fromDatabaseValue(row[0]) ?? "entry", String.fromDatabaseValue(row[1]) ?? "")
    throw StoreFileError(
      .damaged, "The file has the \(type) \(name), which this library does not make.\(advice)")
  }

  /// Indexes of tables that SQLite makes, and tables of their names that it does not make.
  private static let isAddedToSQLite =
    """
    (type != 'table' AND substr(CAST(tbl_name AS TEXT), 1, 7) = 'sqlite_' COLLATE NOCASE
    OR type != 'index' AND substr(CAST(name AS TEXT), 1, 7) = 'sqlite_' COLLATE NOCASE AND ifnull(sql, '') NOT IN
      ('CREATE TABLE sqlite_sequence(name,seq)', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
      'CREATE TABLE sqlite_stat3(tbl,idx,neq,nlt,ndlt,sample)', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'))
    """

  static let advice = " Open it with repair: .skipDamagedRows to keep the rows of its tables."
  /// What makes the table that says what the file contains.
  static let declaration =
    "CREATE TABLE livestore_file (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
  /// Whether an entry is the table that says what the file contains.
  private static let isContents =
    "type = 'table' AND name = 'livestore_file' AND tbl_name = 'livestore_file' AND rootpage > 0 AND sql IS ?"

  /// Checks that the tables are declared as this library does, without checks, defaults, collations and indexes.
  ///
  /// - Throws: `damaged`.
  func requirePlainTables(_ format: RowFormat, _ db: Database) throws {
    var declarations: [String: String] = [:]
    var indexed: Set<String> = []
    let rows = try Row.fetchCursor(db, sql: "SELECT type, name, tbl_name, sql FROM \(Self.entries)")
    while let row = try rows.next() {
      let texts = (0..<4).map { String.fromDatabaseValue(row[$0]) ?? "" }
      // No table of the file has a name that is not read.
      let (isTable, name) = (texts[0] == "table", texts[0] == "table" ? texts[1] : texts[2])
      guard TableNames.isReadable(name) else { continue }
      if isTable { declarations[name] = texts[3] } else { indexed.insert(name.foldedAsName) }
    }
    for record in tables.values {
      let isSame = declarations[record.name]?.utf8.elementsEqual(format.declaration(record).utf8) ?? false
      if isSame, !indexed.contains(record.name.foldedAsName) { continue }
      throw StoreFileError(
        .damaged,
        "The table \(record.name), or an index of it, is not as this library makes it.\(Self.advice)",
        table: record.name)
    }
  }

  /// Whether the table that says what the file contains is one, and no view.
  static func hasContents(_ db: Database) throws -> Bool {
    let sql = "SELECT count(*) FROM \(entries) WHERE \(isContents)"
    return try Int.fetchOne(db, sql: sql, arguments: [declaration]) == 1
  }
}
