import Crypto
import Foundation
import GRDB

/// Copies that were made without the key. What names the store is sealed in an encrypted file, so a copy has a mark
/// beside it, which makes it another store when it is read (X11). The next owner writes its identity, and removes the
/// mark.
extension FileContents {
  /// Changes a database that was copied, and that has no log, as one transaction.
  static func edit(copy url: URL, _ body: (Database) throws -> Void) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { db in
      try ReadConnection.restrict(db)
      try db.execute(sql: "PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON")
    }
    let copy = try DatabaseQueue(path: url.path, configuration: configuration)
    try copy.write(body)
    try copy.close()
  }

  /// Marks a database that was copied, and that has no log.
  static func markCopy(_ url: URL) throws {
    try edit(copy: url) { db in
      // Without that table, nothing names the store.
      guard try hasContents(db) else { return }
      try db.execute(
        sql: "INSERT OR REPLACE INTO livestore_file VALUES ('copy', ?)", arguments: [UUID().uuidString])
    }
  }

  /// Makes them those of a copy if the file has the mark of one.
  mutating func applyCopyMark(_ db: Database) throws {
    let sql = "SELECT value FROM livestore_file WHERE key = 'copy'"
    guard let row = try Row.fetchOne(db, sql: sql) else { return }
    let mark = String.fromDatabaseValue(row[0]) ?? ""
    // The same at each reading, and none that the writer of a mark can choose: it could be that of another file.
    let hash = SHA256.hash(data: Data("\(identity.uuidString) \(mark)".utf8))
    becomeCopy()
    identity = hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
