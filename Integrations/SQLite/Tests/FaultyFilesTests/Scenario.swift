/// Ten transactions, each of which inserts the next row and notes its number in another table, with checkpoints
/// between them.
struct Scenario {
  var journal: String
  var synchronous: String

  static let transactions = 10

  /// What was acknowledged to whoever ran the scenario.
  struct Account {
    /// The numbers of the rows whose transactions reported success.
    var acknowledged: [Int] = []
    var errors: [Connection.Failure] = []
  }

  /// What is in the database afterwards.
  struct Findings {
    /// What the integrity check says, or the error of looking.
    var integrity: String
    /// The numbers of the rows.
    var rows: [Int] = []
    /// Whether the contents of the rows are those they were written with, and the note is the last row's.
    var isWhole = true

    var isConsistent: Bool { integrity == "ok" && isWhole }
    /// Whether the rows are the first ones, without gaps.
    var hasNoGaps: Bool { rows == Array(1..<(rows.count + 1)) }
  }

  private static let tables =
    """
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS note (row INTEGER);
    CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, payload TEXT);
    CREATE INDEX IF NOT EXISTS payloads ON row (payload);
    INSERT INTO note SELECT 0 WHERE NOT EXISTS (SELECT * FROM note);
    COMMIT
    """

  /// Some rows fill a part of a page, others more than two.
  private static let payloads = (1...transactions).map { row in
    String(decoding: Array(repeating: UInt8(96 + row), count: row * 2701 % 9000), as: UTF8.self)
  }

  private static func insertion(of row: Int) -> String {
    """
    BEGIN IMMEDIATE;
    INSERT INTO row VALUES (\(row), '\(payloads[row - 1])');
    UPDATE note SET row = \(row);
    COMMIT
    """
  }

  private static func checkpoint(after row: Int) -> String? {
    switch row {
    case 3, 8: "PRAGMA wal_checkpoint(PASSIVE)"
    case 6: "PRAGMA wal_checkpoint(TRUNCATE)"
    default: nil
    }
  }

  private func open(_ path: String) throws(Connection.Failure) -> Connection {
    let connection = try Connection(path)
    try connection.run("PRAGMA synchronous = \(synchronous)")
    try connection.run("PRAGMA wal_autocheckpoint = 0")
    try connection.run("PRAGMA journal_mode = \(journal)")
    return connection
  }

  /// Runs the scenario up to the first error, with the database closed and opened again in the middle.
  func runUntilError(_ path: String) -> Account {
    var account = Account()
    do {
      var connection = try open(path)
      try connection.run(Self.tables)
      for row in 1...Self.transactions {
        try connection.run(Self.insertion(of: row))
        account.acknowledged.append(row)
        if let checkpoint = Self.checkpoint(after: row) { try connection.run(checkpoint) }
        if row == 5 {
          connection.close()
          connection = try open(path)
        }
      }
    } catch {
      account.errors.append(error)
    }
    return account
  }

  /// Runs the whole scenario and leaves out what fails. Returns the connection too, if it could be opened, at the second
  /// attempt at the latest.
  func runToTheEnd(_ path: String) -> (Account, Connection?) {
    var account = Account()
    var opened: Connection?
    for _ in 1...2 where opened == nil {
      do {
        opened = try open(path)
      } catch {
        account.errors.append(error)
      }
    }
    guard let connection = opened else { return (account, nil) }
    var hasTables = false
    func succeeds(_ sql: String) -> Bool {
      guard let failure = connection.failure(of: sql) else { return true }
      account.errors.append(failure)
      return false
    }
    for row in 1...Self.transactions {
      hasTables = hasTables || succeeds(Self.tables)
      if hasTables, succeeds(Self.insertion(of: row)) { account.acknowledged.append(row) }
      if let checkpoint = Self.checkpoint(after: row) { _ = succeeds(checkpoint) }
    }
    return (account, connection)
  }

  /// Opens the database and reads it.
  static func inspect(_ path: String) -> Findings {
    do {
      return try inspect(Connection(path))
    } catch {
      return Findings(integrity: "\(error)")
    }
  }

  static func inspect(_ connection: Connection) throws(Connection.Failure) -> Findings {
    let integrity = try connection.texts("PRAGMA integrity_check").joined(separator: "; ")
    var findings = Findings(integrity: integrity)
    if try connection.integers("SELECT count(*) FROM sqlite_schema") == [0] { return findings }
    findings.rows = try connection.integers("SELECT id FROM row ORDER BY id")
    let payloads = try connection.texts("SELECT payload FROM row ORDER BY id")
    let note = try connection.integers("SELECT row FROM note")
    guard findings.rows.allSatisfy((1...transactions).contains) else {
      findings.isWhole = false
      return findings
    }
    findings.isWhole =
      payloads == findings.rows.map { Self.payloads[$0 - 1] } && note == [findings.rows.last ?? 0]
    return findings
  }
}
