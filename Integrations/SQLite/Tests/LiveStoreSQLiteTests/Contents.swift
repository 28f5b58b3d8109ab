import Foundation
import GRDB
import LiveStoreSQLite
import Testing

/// What a file says about itself.
enum Contents {
  /// Replaces text in it, with its checksum.
  static func change(_ file: URL, _ change: (String) throws -> String) throws {
    let queue = try DatabaseQueue(path: file.path)
    try queue.writeWithoutTransaction { db in
      let text = try #require(
        try String.fetchOne(db, sql: "SELECT value FROM livestore_file WHERE key = 'contents'"))
      let changed = try change(text)
      #expect(changed != text)
      try db.execute(sql: "UPDATE livestore_file SET value = ? WHERE key = 'contents'", arguments: [changed])
      try db.execute(
        sql: "UPDATE livestore_file SET value = ? WHERE key = 'check'",
        arguments: [RowDigest.ofText(changed)])
    }
    try queue.close()
  }
}
