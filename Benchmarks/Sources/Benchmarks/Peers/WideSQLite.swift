import GRDB

/// `Wide` rows in GRDB, in memory and without indexes.
final class WideSQLite: Sendable {
  private let queue: DatabaseQueue

  init(_ rows: [Wide]) throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE wide (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, score INTEGER NOT NULL,
            price REAL NOT NULL, isOpen INTEGER NOT NULL, rating INTEGER, status TEXT NOT NULL)
          """)
      let statement = try db.makeStatement(sql: "INSERT INTO wide VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      for row in rows {
        try statement.execute(arguments: [
          row.id, row.name, row.city, row.score, row.price, row.isOpen, row.rating, row.status.rawValue,
        ])
      }
    }
  }

  func count(_ condition: String) throws -> Int {
    try queue.read { db in
      try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM wide WHERE \(condition)")) ?? 0
    }
  }
}
