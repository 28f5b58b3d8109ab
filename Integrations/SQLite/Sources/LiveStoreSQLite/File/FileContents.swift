import Crypto
import Foundation
import GRDB
import LiveStore

/// What the file says about itself: its version, and its tables with their columns, number of rows and checksums.
///
/// It is JSON text in the table `livestore_file`, beside a checksum, or sealed like the rows.
struct FileContents: Sendable {
  /// The format in which the file was written.
  var format = Self.format
  /// How many versions have been written to the file.
  var version: Int64 = 0
  /// What names the store, also when the file is opened again; a copy has another one.
  var identity = UUID()
  /// The version of the store that the file has.
  var storeVersion: UInt64 = 0
  /// The greatest version that the store can have had: that of the file, or above it while the file is open. So a version
  /// that was lost when the process ended is never given to another state.
  var reserved: UInt64 = 0
  /// The versions that were lost, or may have been, in ascending order.
  var lostVersions: [ClosedRange<Version>] = []
  /// The version of the schema that it was written with.
  var schema = 1
  var tables: [String: TableRecord] = [:]
  /// The renamings and additions that the file has passed, in the order in which it did.
  var changes: [SchemaChange] = []
  /// Whether a migration has given a table the name of another one, and so its places.
  var hasMovedPlaces = false
  /// The next places of tables that a migration has removed: one of the name that it makes afterwards goes on with them.
  var removedPlaces: [String: UInt64] = [:]
  /// How often something was sealed with the key of the file, without these contents.
  private(set) var seals: Int64 = 0
  /// Whether pages that are not used may have what was stored under another key.
  var hasRemains = false
  /// What the last repair left out, until an opening has reported it.
  var damagedRows: [DamagedRow] = []

  /// The table of a name, or of one that differs by case alone, which is the same to SQLite.
  func table(likeNamed name: String) -> TableRecord? {
    tables[name] ?? tables.values.first { $0.name.foldedAsName == name.foldedAsName }
  }

  /// Marks the files of this library for SQLite and `file(1)`.
  static let applicationID: Int64 = 0x4C53_4653
  /// The format of the files that are made now; later ones have larger numbers. What differs is in the article FileFormat.
  static let format: Int64 = 2
  /// The formats that are read. A file of an earlier one is written in today's when it is opened for writing.
  private static let formats = 1...format

  /// Whether a database has nothing in it.
  static func isEmpty(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0
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

  /// What others have put into the file that would run when it is checked, or its tables are read or written: views in
  /// the place of tables, virtual tables, triggers, and columns that are computed. What they compute may have no end.
  /// Plain tables of others are left alone.
  ///
  /// - Throws: `damaged` if there is any.
  static func requirePlain(_ db: Database) throws {
    // SQLite does not look at the type of some entries, nor at capital letters of names and types.
    let condition =
      """
      typeof(type) != 'text' OR typeof(name) != 'text' OR typeof(tbl_name) != 'text' OR type NOT IN ('table', 'index')
      OR type = 'table' AND (typeof(sql) != 'text' OR substr(sql, 1, 13) != 'CREATE TABLE ')
      OR tbl_name = 'livestore_file' COLLATE NOCASE AND NOT (\(isContents))
      OR type = 'table' AND rootpage > 0 AND EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE hidden IN (2, 3))
      """
    let kind = "CASE WHEN type = 'table' AND sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE type END"
    let sql = "SELECT \(kind), name FROM sqlite_master m WHERE \(condition) ORDER BY rowid LIMIT 1"
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [declaration]) else { return }
    let (type, name) = (String.fromDatabaseValue(row[0]) ?? "entry", String.fromDatabaseValue(row[1]) ?? "")
    throw StoreFileError(
      .damaged, "The file has the \(type) \(name), which this library does not make.\(advice)")
  }

  fileprivate static let advice = " Open it with repair: .skipDamagedRows to keep the rows of its tables."
  /// What makes the table that says what the file contains.
  static let declaration =
    "CREATE TABLE livestore_file (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
  /// Whether an entry is the table that says what the file contains.
  private static let isContents =
    "type = 'table' AND name = 'livestore_file' AND tbl_name = 'livestore_file' AND rootpage > 0 AND sql IS ?"

  /// Checks that the tables are declared as this library does, without checks, defaults, collations and indexes.
  ///
  /// - Throws: `damaged`.
  private func requirePlainTables(_ format: RowFormat, _ db: Database) throws {
    var declarations: [String: String] = [:]
    var indexed: Set<String> = []
    let rows = try Row.fetchCursor(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
    while let row = try rows.next() {
      let texts = (0..<4).map { String.fromDatabaseValue(row[$0]) ?? "" }
      if texts[0] == "table" {
        declarations[texts[1]] = texts[3]
      } else {
        indexed.insert(texts[2].foldedAsName)
      }
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
    let sql = "SELECT count(*) FROM sqlite_master WHERE \(isContents)"
    return try Int.fetchOne(db, sql: sql, arguments: [declaration]) == 1
  }

  /// Makes an empty database a file.
  func create(_ format: RowFormat, _ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA application_id = \(Self.applicationID);
        PRAGMA user_version = \(self.format);
        \(Self.declaration);
        """)
    try write(format, to: db)
  }

  /// Writes them, as the last part of a transaction.
  func write(_ format: RowFormat, to db: Database) throws {
    var contents = self
    if case .sealed(let key) = format { contents.seals = key.sealCount + 1 }
    let text = "\(contents.json)"
    var values: [(key: String, value: ColumnValue)]
    switch format {
    case .columns: values = [("contents", .text(text)), ("check", .integer(Self.checksum(text)))]
    case .sealed(let key):
      values = [
        ("contents", .blob(try key.seal(Array(text.utf8), .contents))), ("salt", .blob(key.salt)),
        ("check", .blob(key.check)),
      ]
    }
    let places = Array(repeating: "(?, ?)", count: values.count).joined(separator: ", ")
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO livestore_file VALUES \(places)").execute(
      arguments: StatementArguments(values.flatMap { [$0.key.databaseValue, $0.value.databaseValue] }))
    // A copy's owner has written it: it is a store of its own.
    let others = format.isSealed ? "= 'copy'" : "IN ('copy', 'salt')"
    try db.cachedStatement(sql: "DELETE FROM livestore_file WHERE key \(others)").execute()
  }

  private static func checksum(_ text: String) -> Int64 { RowChecksum.of(text) }

  /// Makes the file one of today's format, within a transaction that writes all of its rows.
  mutating func renew(_ db: Database) throws {
    format = Self.format
    try db.execute(sql: "PRAGMA user_version = \(format)")
  }
}

// MARK: Versions of the store

extension FileContents {
  /// How many versions a store may be ahead of its file: as many as no disk that fails lets come together. After so many
  /// crashes that they would run out, 2²⁷, the store is another one.
  private static let reservation: UInt64 = 1 << 32
  /// How many ranges of lost versions a file has, which do not grow with its crashes.
  private static let maximumLost = 64
  /// The versions that a file may say.
  static let versions: ClosedRange<Int64> = 0...1 << 60

  /// Has the store, which is opened for writing, go on: at the version of the file, unless later ones may have been lost
  /// (X11).
  ///
  /// - Parameters:
  ///   - before: what the file said before it was migrated.
  ///   - isMigrated: whether the objects differ from those of that version.
  ///   - reserves: whether versions are reserved.
  mutating func goOn(from before: Self, isMigrated: Bool, reserves: Bool) {
    if reserved > storeVersion {
      lostVersions.append(Version(storeVersion + 1)...Version(reserved))
      storeVersion = reserved + 1
      // What lies between the oldest counts as lost, too.
      if lostVersions.count > Self.maximumLost {
        lostVersions[0] = lostVersions[0].lowerBound...lostVersions.remove(at: 1).upperBound
      }
    } else if isMigrated, storeVersion > 0 {
      storeVersion += 1
    }
    let isTooLarge = storeVersion > UInt64(Self.versions.upperBound) / 2
    if isTooLarge { storeVersion = 1 }
    let hasRemoved = before.tables.keys.contains { tables[$0] == nil }
    if isTooLarge || !reserves || hasRemoved || hasMovedPlaces { becomeCopy() }
  }

  /// Checks that there is room for places behind those that the file has given.
  ///
  /// - Throws: `damaged`: none that was written has so many.
  func requireRoom() throws(StoreFileError) {
    for table in tables.values where table.next > TableReader.places.upperBound / 2 {
      throw StoreFileError(
        .damaged, "The table \(table.name) is damaged: its places are too large.\(Self.advice)",
        table: table.name)
    }
  }

  /// Reserves versions for a store of which the file has one.
  mutating func reserve(beyond version: Version) {
    storeVersion = version.number
    if reserved < storeVersion + Self.reservation / 2 { reserved = storeVersion + Self.reservation }
  }

  /// Makes it that of a copy, with which another store goes on (X11).
  mutating func becomeCopy() {
    identity = UUID()
    reserved = storeVersion
    lostVersions = []
  }
}

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
    if contents.format != headerFormat {
      throw StoreFileError(
        .damaged,
        "The header of the file names format \(headerFormat); the contents are of format \(contents.format).\(advice)"
      )
    }
    let rowFormat = contents.rowFormat(fileKey)
    for record in contents.tables.values
    where try !isSame(columns(of: record.name, db), rowFormat.columnNames(record)) {
      throw StoreFileError(
        .damaged, "The columns of table \(record.name) are not those that were written.", table: record.name)
    }
    try contents.requirePlainTables(rowFormat, db)
    return (contents, rowFormat)
  }

  /// Checks all pages of a file, which takes as long as reading them.
  ///
  /// - Throws: `damaged`.
  static func requireIntact(_ db: Database) throws {
    // Checks of tables are no damage, and may compute anything.
    try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
    for problem in try String.fetchAll(db, sql: "PRAGMA quick_check(1)") where problem != "ok" {
      // A page that cannot be read now is no damage; one that the device cannot read has another code.
      if problem.contains("error code=\(ResultCode.SQLITE_IOERR_READ.rawValue)") {
        throw DatabaseError(resultCode: .SQLITE_IOERR, message: "a page cannot be read now")
      }
      let reason = problem.replacing("*** in database main ***\n", with: "")
      throw StoreFileError(.damaged, "The file is damaged: \(reason).")
    }
  }

  /// Whether names are the same to SQLite, which compares bytes, and takes a name that no column has for a text.
  private static func isSame(_ names: [String], _ others: [String]) -> Bool {
    names.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
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
    contents.version = promised?.version ?? 1 << 40
    contents.schema = promised?.schema ?? 0
    contents.changes = promised?.changes ?? []
    contents.damagedRows = promised?.damagedRows ?? []
    let names = try String.fetchAll(
      db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    var missing: [DamagedRow] = []
    for name in names where TableNames.isAllowed(name) {
      // In any other, to find an order for its rows takes all of them, which may have no end.
      guard try isOrdered(name, db) else {
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
        promised?.tables[name] != nil || format.isTable(columns)
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
      if !isSame(columns, format.columnNames(record)) {
        guard let found = locate(format.columnNames(record), in: columns) else {
          throw StoreFileError(
            .damaged, "Columns of table \(name) that were written are not there.", table: name)
        }
        record.namesInFile = found
        for column in columns where !found.contains(where: { isSame([$0], [column]) }) {
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

  /// Finds the columns that were written in a table whose columns differ: by their names, and where there is none of a name,
  /// which may be damaged, by their places. The checksums of rows tell whether it is right; sealed rows, too.
  private static func locate(_ names: [String], in columns: [String]) -> [String]? {
    let isNamed = { (column: String) in names.contains { isSame([$0], [column]) } }
    var found: [String] = []
    for (index, name) in names.enumerated() {
      if let column = columns.first(where: { isSame([$0], [name]) }) {
        found.append(column)
      } else if index < columns.count, !isNamed(columns[index]) {
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
    return keys.count == 1 && String.fromDatabaseValue(keys[0]["name"]) == "_place"
      && String.fromDatabaseValue(keys[0]["type"])?.uppercased() == "INTEGER"
  }

  private static func columns(of table: String, _ db: Database) throws -> [String] {
    try Row.fetchAll(db, sql: "PRAGMA table_info(\(quoted(table)))").map {
      String.fromDatabaseValue($0["name"]) ?? ""
    }
  }
}

// MARK: JSON

extension FileContents {
  private var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("format", JSONValue(format)), ("version", JSONValue(version)),
      ("identity", .string(identity.uuidString)),
      ("storeVersion", JSONValue(storeVersion)), ("reserved", JSONValue(reserved)),
      ("schema", JSONValue(schema)),
      (
        "tables",
        .object(JSONObject(tables.values.sorted { $0.name < $1.name }.map { (key: $0.name, value: $0.json) }))
      ),
    ]
    if !changes.isEmpty { members.append(("changes", .array(changes.map(\.json)))) }
    if !lostVersions.isEmpty {
      let ranges = lostVersions.map {
        JSONValue.array([JSONValue($0.lowerBound.number), JSONValue($0.upperBound.number)])
      }
      members.append(("lost", .array(ranges)))
    }
    if seals > 0 { members.append(("seals", JSONValue(seals))) }
    if hasRemains { members.append(("remains", true)) }
    if !damagedRows.isEmpty { members.append(("damaged", .array(damagedRows.map(\.json)))) }
    return .object(JSONObject(members))
  }

  private init?(json: JSONValue) {
    guard case .object(let object) = json, let version = object["version"]?.integer,
      let schema = object["schema"]?.integer, case .object(let tables)? = object["tables"],
      // Nothing that was written is larger, and there is room to count on.
      0...1 << 62 ~= version, 1...1 << 40 ~= schema
    else { return nil }
    (self.version, self.schema) = (version, Int(schema))
    let format = object["format"].map(\.integer) ?? 1
    guard let format, Self.formats.contains(format) else { return nil }
    self.format = format
    if let value = object["changes"] {
      guard case .array(let elements) = value else { return nil }
      changes = elements.compactMap(SchemaChange.init(json:))
      guard changes.count == elements.count else { return nil }
    }
    // Files of earlier versions of the library have none of these.
    if case .string(let text)? = object["identity"] {
      guard let identity = UUID(uuidString: text) else { return nil }
      self.identity = identity
    }
    let storeVersion = object["storeVersion"].map(\.integer) ?? min(version, 1 << 40)
    let reserved = object["reserved"].map(\.integer) ?? storeVersion
    guard let storeVersion, let reserved, Self.versions ~= storeVersion,
      storeVersion...Self.versions.upperBound ~= reserved
    else { return nil }
    (self.storeVersion, self.reserved) = (UInt64(storeVersion), UInt64(reserved))
    if let value = object["lost"] {
      guard case .array(let ranges) = value, ranges.count <= Self.maximumLost else { return nil }
      for range in ranges {
        guard case .array(let ends) = range, ends.count == 2, let first = ends[0].integer,
          let last = ends[1].integer, first <= last, last <= storeVersion,
          first > lostVersions.last.map({ Int64($0.upperBound.number) }) ?? -1
        else { return nil }
        lostVersions.append(Version(UInt64(first))...Version(UInt64(last)))
      }
    }
    seals = object["seals"]?.integer ?? 0
    guard 0...1 << 60 ~= seals else { return nil }
    hasRemains = object["remains"] == true
    if case .array(let rows)? = object["damaged"] { damagedRows = rows.compactMap(DamagedRow.init(json:)) }
    for (name, value) in tables {
      guard let record = TableRecord(name, json: value) else { return nil }
      self.tables[name] = record
    }
  }
}

extension TableRecord {
  fileprivate var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("columns", .array(columns.names.map(JSONValue.string))),
      ("kinds", .array(columns.kinds.map { JSONValue($0.rawValue) })), ("rows", JSONValue(rows)),
      ("checksum", JSONValue(checksum)), ("next", JSONValue(next)),
    ]
    if isUnchecked { members.append(("unchecked", true)) }
    return .object(JSONObject(members))
  }

  fileprivate init?(_ name: String, json: JSONValue) {
    guard case .object(let object) = json, case .array(let elements)? = object["columns"],
      let rows = object["rows"]?.integer, 0...1 << 40 ~= rows, let checksum = object["checksum"]?.integer
    else { return nil }
    let names = elements.compactMap { element in if case .string(let name) = element { name } else { nil } }
    guard names.count == elements.count else { return nil }
    var columns = ColumnNames()
    var kinds: [JSONValue] = []
    // A file that has none is read without them.
    if case .array(let elements)? = object["kinds"], elements.count == names.count { kinds = elements }
    for (index, name) in names.enumerated() {
      let known = kinds.isEmpty ? nil : kinds[index].integer.map { ValueKinds(rawValue: Int($0)) }
      columns.add(name, kinds: known ?? .all)
    }
    self.init(name, columns)
    (self.rows, self.checksum) = (Int(rows), checksum)
    if let value = object["next"] {
      guard let next = value.integer, 1...TableReader.places.upperBound + 1 ~= next else { return nil }
      self.next = UInt64(next)
    }
    isUnchecked = object["unchecked"] == true
  }
}

extension DamagedRow {
  fileprivate var json: JSONValue {
    ["table": .string(table), "row": row.map { JSONValue($0) } ?? .null, "reason": .string(reason)]
  }

  fileprivate init?(json: JSONValue) {
    guard case .object(let object) = json, case .string(let table)? = object["table"],
      case .string(let reason)? = object["reason"]
    else { return nil }
    self.init(table: table, row: object["row"]?.integer, reason: reason)
  }
}

extension JSONValue {
  fileprivate var integer: Int64? { if case .number(let number) = self { number.integer } else { nil } }
}
