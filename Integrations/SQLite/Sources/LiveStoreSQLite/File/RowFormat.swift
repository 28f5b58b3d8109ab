import GRDB

/// How the rows of a file are stored: a column for each property and a checksum, or sealed with a key.
enum RowFormat: Sendable {
  /// With the checksums of a format (``FileContents/format``).
  case columns(format: Int64)
  case sealed(FileKey)

  var isSealed: Bool {
    if case .sealed = self { true } else { false }
  }

  /// As files are made now, unencrypted.
  static var plain: RowFormat { .columns(format: FileContents.format) }

  /// What checksums say about the names of a table.
  func names(_ record: TableRecord) -> RowChecksum.Names {
    if case .columns(let format) = self { return .init(record.name, record.columns.names, format: format) }
    return .init(record.name)
  }

  /// About how many bytes a row has besides its values: place, checksum and header, or version, nonce, tag and mark.
  var overhead: Int { isSealed ? 60 : 20 }

  /// Makes the table of an entity.
  ///
  /// - Parameter name: the name of the table, if it is not that of the entity.
  /// - Throws: `mismatch` if its names are too long.
  func createTable(_ record: TableRecord, named name: String? = nil, _ db: Database) throws {
    let declaration = declaration(record, named: name)
    // That of a table that is repaired, or stored under another key, may be as long as those that are read.
    try Self.requireReadable(declaration, upTo: Self.longestDeclaration, of: record)
    try db.execute(sql: declaration)
  }

  /// - Throws: `mismatch` for a declaration that is longer than those that are read (`ReadConnection.restrict`).
  static func requireReadable(_ declaration: String, upTo maximum: Int = 200_000, of record: TableRecord)
    throws
  {
    if declaration.utf8.count <= maximum { return }
    throw StoreFileError(
      .mismatch,
      "The names of the properties of \(record.name) are too long: with them, the declaration of its table has \(declaration.utf8.count) bytes, and up to \(maximum) are read.",
      table: record.name)
  }

  /// How many bytes SQLite reads of one (`csqlite_load_schema`).
  private static let longestDeclaration = 1 << 18

  /// The text that makes the table of an entity. SQLite keeps it, and changes names and adds columns in it as tables are
  /// renamed and altered.
  func declaration(_ record: TableRecord, named name: String? = nil) -> String {
    Self.declaration(named: name ?? record.name, properties: isSealed ? nil : record.columns.names)
  }

  /// The same, of a name.
  ///
  /// - Parameter properties: the columns of properties; nil if rows are sealed.
  static func declaration(named name: String, properties: [String]?) -> String {
    // Without a type, a column keeps each value as it is given.
    let columns =
      properties.map { ["_check INTEGER NOT NULL"] + $0.map(quoted) }
      ?? ["_version INTEGER NOT NULL", "_sealed BLOB NOT NULL"]
    return "CREATE TABLE \(quoted(name)) (_place INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))"
  }

  /// The columns of a table whose rows are sealed.
  static let sealedColumns = ["_place", "_version", "_sealed"]

  /// Whether a table with these columns may be that of an entity.
  func isTable(_ columns: [String]) -> Bool {
    isSealed
      ? Self.isSame(columns, Self.sealedColumns) : Self.isSame(columns.prefix(2), ["_place", "_check"])
  }

  /// Whether names are the same to SQLite, which compares bytes, and takes a name that no column has for a text.
  static func isSame(_ names: some Sequence<String>, _ others: [String]) -> Bool {
    names.elementsEqual(others) { $0.utf8.elementsEqual($1.utf8) }
  }

  /// The columns of a row, first those of all rows.
  func columnNames(_ record: TableRecord) -> [String] {
    isSealed ? Self.sealedColumns : ["_place", "_check"] + record.columns.names
  }
}
