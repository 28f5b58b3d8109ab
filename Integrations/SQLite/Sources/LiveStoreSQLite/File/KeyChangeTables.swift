import Foundation
import GRDB

/// The tables that a change of the key makes beside those of the entities. A process that ends during the change leaves
/// them: nothing reads them, and the next opening for writing removes them.
enum KeyChangeTables {
  private static let newPrefix = "livestore_new_"
  private static let oldPrefix = "livestore_old_"
  /// Has zeros alone, in as many pages as the file has unused.
  static let zeros = "livestore_zeros"
  static let zerosDeclaration = "CREATE TABLE livestore_zeros (_place INTEGER PRIMARY KEY, zeros)"

  /// The name of an entity's table while its rows are copied to it.
  static func new(_ entity: String) -> String { newPrefix + entity }

  /// The name of the table that an entity had, until its rows are removed.
  static func old(_ entity: String) -> String { oldPrefix + entity }

  /// The names of those that there are.
  static func names(_ db: Database) throws -> [String] { try entries(db).filter(\.isOurs).map(\.name) }

  /// Checks that whatever else has a name of the library's own is a table that a change of the key makes, as it makes it.
  ///
  /// - Throws: `damaged`.
  static func requirePlain(_ db: Database) throws {
    guard let entry = try entries(db).first(where: { !$0.isOurs }) else { return }
    throw StoreFileError(
      .damaged,
      "The file has the \(entry.type) \(entry.name), which this library does not make.\(FileContents.advice)")
  }

  /// Whether there are some.
  ///
  /// - Parameter tables: how many tables of entities there are.
  /// - Throws: `damaged` if there are more than changes leave: removing each reads the list of all.
  static func areLeft(beside tables: Int, _ db: Database) throws -> Bool {
    let count = try names(db).count
    if count <= 2 * tables + 1_000 { return count > 0 }
    throw StoreFileError(
      .damaged,
      "The file has \(count) tables of changes of the key, which leave no more than two for each entity.\(FileContents.advice)"
    )
  }

  /// Removes them, within a transaction.
  static func drop(_ db: Database) throws {
    for name in try names(db) { try db.execute(sql: "DROP TABLE \(quoted(name))") }
  }

  /// Whether there is a table of zeros. (GRDB's function hashes whatever the file has.)
  static func hasZeros(_ db: Database) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT count(*) FROM \(FileContents.entries) WHERE name = ?", arguments: [zeros]) != 0
  }

  /// Removes them from a copy of a file: what they have may be stored under another key than the copy.
  static func drop(fromCopy url: URL) throws {
    try FileContents.edit(copy: url, drop)
  }

  /// Whatever has a name of the library's own, but for the table that says what the file contains.
  private static func entries(_ db: Database) throws -> [(type: String, name: String, isOurs: Bool)] {
    let condition =
      """
      NOT (type = 'table' AND name = 'livestore_file') AND (substr(name, 1, 10) = 'livestore_' COLLATE NOCASE
      OR substr(tbl_name, 1, 10) = 'livestore_' COLLATE NOCASE)
      """
    // As bytes: a text that is not in UTF-8 would be read as another.
    let sql =
      """
      SELECT type, CAST(name AS BLOB), CAST(sql AS BLOB), rootpage FROM \(FileContents.entries) WHERE \(condition)
      ORDER BY rowid
      """
    return try Row.fetchAll(db, sql: sql).map { row in
      let type = String.fromDatabaseValue(row[0]) ?? ""
      let (name, sql) = (Data.fromDatabaseValue(row[1]) ?? Data(), Data.fromDatabaseValue(row[2]) ?? Data())
      let isTable = type == "table" && Int.fromDatabaseValue(row[3]) ?? 0 > 0
      let text = String(validating: name, as: UTF8.self)
      let isOurs =
        try text.map { try declaration($0, db).map { sql.elementsEqual($0.utf8) } ?? false } ?? false
      return (type, String(decoding: name, as: UTF8.self), isTable && isOurs)
    }
  }

  /// What declares a table of a name, with the columns that it has; nil if none of this library has the name.
  private static func declaration(_ name: String, _ db: Database) throws -> String? {
    if name.isSame(as: zeros) { return zerosDeclaration }
    let prefixes = [newPrefix, oldPrefix]
    guard let prefix = prefixes.first(where: { name.utf8.starts(with: $0.utf8) }),
      TableNames.isAllowed(String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    else { return nil }
    let columns = try FileContents.columns(of: name, db)
    let isSealed = RowFormat.isSame(columns, RowFormat.sealedColumns)
    return RowFormat.declaration(named: name, properties: isSealed ? nil : Array(columns.dropFirst(2)))
  }
}

extension String {
  /// Whether texts have the same bytes, as SQLite compares them.
  fileprivate func isSame(as other: String?) -> Bool { other.map { utf8.elementsEqual($0.utf8) } ?? false }
}
