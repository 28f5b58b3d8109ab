import GRDB

/// GRDB with a database in memory: prepared statements, and records that are read by position.
final class SQLite: Sendable {
  struct Record: FetchableRecord, Equatable, Sendable {
    let id: Int
    let name: String
    let score: Int
    let group: Int32
    let flag: Int32

    init(row: GRDB.Row) {
      id = row[0]
      name = row[1]
      score = row[2]
      group = row[3]
      flag = row[4]
    }
  }

  let queue: DatabaseQueue

  /// - Parameter indexes: the columns of each, separated by commas.
  init(indexes: [String] = []) throws {
    queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL,
            bucket INTEGER NOT NULL, flag INTEGER NOT NULL)
          """)
      for (number, columns) in indexes.enumerated() {
        try db.execute(sql: "CREATE INDEX index\(number) ON item(\(columns))")
      }
    }
  }

  convenience init(_ items: [Item], indexes: [String] = []) throws {
    try self.init(indexes: indexes)
    try insert(items)
  }

  func insert(_ items: [Item]) throws {
    try queue.write { db in
      let statement = try db.makeStatement(sql: "INSERT INTO item VALUES (?, ?, ?, ?, ?)")
      for item in items {
        try statement.execute(arguments: [item.id, item.name, item.score, item.group, item.flag])
      }
    }
  }

  func setScore(_ id: Int, _ score: Int) throws {
    try queue.write { db in
      try db.cachedStatement(sql: "UPDATE item SET score = ? WHERE id = ?").execute(arguments: [score, id])
    }
  }

  func delete(_ id: Int) throws {
    try queue.write { db in
      try db.cachedStatement(sql: "DELETE FROM item WHERE id = ?").execute(arguments: [id])
    }
  }

  func lookup(_ id: Int) throws -> Record? {
    try queue.read { db in
      try Record.fetchOne(db.cachedStatement(sql: "SELECT * FROM item WHERE id = ?"), arguments: [id])
    }
  }

  /// Many lookups in one read, which a queue of the database costs once.
  func lookups(_ ids: [Int]) throws -> Int {
    try queue.read { db in
      let statement = try db.cachedStatement(sql: "SELECT * FROM item WHERE id = ?")
      var sum = 0
      for id in ids { sum &+= try Record.fetchOne(statement, arguments: [id])?.score ?? 0 }
      return sum
    }
  }

  func records(_ condition: String, _ arguments: StatementArguments = []) throws -> [Record] {
    try queue.read { db in
      try Record.fetchAll(db.cachedStatement(sql: "SELECT * FROM item \(condition)"), arguments: arguments)
    }
  }

  func number(_ expression: String, _ condition: String, _ arguments: StatementArguments = []) throws -> Int {
    try queue.read { db in
      let statement = try db.cachedStatement(sql: "SELECT \(expression) FROM item \(condition)")
      return try Int.fetchOne(statement, arguments: arguments) ?? 0
    }
  }

  /// The sorted records of a condition after each change.
  func observation(_ condition: String) -> AsyncValueObservation<[Record]> {
    ValueObservation
      .tracking { db in try Record.fetchAll(db, sql: "SELECT * FROM item \(condition)") }
      .values(in: queue)
  }
}

extension SQLite {
  func records(_ condition: String, _ number: Int) throws -> [Record] {
    try records(condition, StatementArguments([number]))
  }

  func number(_ expression: String, _ condition: String, _ number: Int) throws -> Int {
    try self.number(expression, condition, StatementArguments([number]))
  }
}

extension SQLite {
  /// Changes a row so that all observations of the table read again.
  func touch(_ id: Int) throws {
    try queue.write { db in
      let statement = try db.cachedStatement(sql: "UPDATE item SET score = score + 1 WHERE id = ?")
      try statement.execute(arguments: [id])
    }
  }

  func sumObservation() -> AsyncValueObservation<Int> {
    ValueObservation
      .tracking { db in try Int.fetchOne(db, sql: "SELECT sum(score) FROM item WHERE score < 500000") ?? 0 }
      .values(in: queue)
  }
}

extension Receiver {
  /// Receives the values of an observation.
  convenience init<Value: Sendable>(_ observation: AsyncValueObservation<Value>) {
    self.init { arrived in
      for try await value in observation {
        blackHole(value)
        arrived()
      }
    }
  }
}
