import PostgreSQLTestSupport

/// Random transactions of several clients, interleaved, and what the tables held after each commit.
///
/// One client commits at a time, so the order of commits is known.
struct Workload {
  private struct Client {
    var connection: SQLClient
    var isOpen = false
    var savepoints = 0
    /// How many more statements the open transaction has.
    var rest = 0
    /// Whether no other client goes on before this one has finished, since it would wait for a lock.
    var isExclusive = false
  }

  let database: TestDatabase
  /// The tables as they are now.
  private(set) var tables: SampleTables
  private var clients: [Client] = []
  private var reader: SQLClient
  private var statements: RandomStatements
  var random: SplitMix64
  private(set) var history: CommitHistory
  private(set) var commits = 0
  /// Why statements failed: how often for each SQLSTATE.
  private(set) var failures: [String: Int] = [:]
  /// Whether there are transactions large enough to be streamed before they end.
  private let hasLarge: Bool
  var log: [String] = []

  /// - Parameter connections: those of ``connect(to:)``, which are used again.
  init(
    _ database: TestDatabase, _ tables: SampleTables, _ random: SplitMix64, hasLarge: Bool,
    connections: [SQLClient]? = nil
  ) async throws {
    (self.database, self.tables, self.random, self.hasLarge) = (database, tables, random, hasLarge)
    statements = RandomStatements(tables: tables)
    let connections = if let connections { connections } else { try await Self.connect(to: database) }
    reader = connections[0]
    clients = connections[1...self.random.int(1...3)].map { Client(connection: $0) }
    history = CommitHistory(Contents())
    try await prepare()
    history = CommitHistory(try await read())
  }

  /// One client that reads, and three that do not wait for the locks of the others.
  static func connect(to database: TestDatabase) async throws -> [SQLClient] {
    var connections: [SQLClient] = []
    for _ in 0..<4 {
      let client = try await database.connect()
      try await client.execute("SET lock_timeout = '2ms'; SET client_min_messages = error")
      connections.append(client)
    }
    return connections
  }

  /// Planning the query for all rows takes longer than running it.
  private func prepare() async throws {
    try await reader.execute(
      "SET lock_timeout = '10s'; DEALLOCATE ALL; PREPARE contents AS \(tables.contentQuery)")
  }

  private func read() async throws -> Contents { try await Contents(reader, "EXECUTE contents") }

  var contents: Contents { history.newest }

  /// The position after everything that was committed.
  func position() async throws -> String { try await reader.position() }

  /// Runs a statement in a transaction of its own.
  mutating func execute(_ sql: String) async throws {
    log.append("· \(sql)")
    try await reader.execute(sql)
    // A table that a client has locked cannot be read before it ends.
    if !clients.contains(where: \.isExclusive) { try await record() }
  }

  /// Alters the tables by a statement.
  mutating func alter(_ sql: String, _ change: (inout SampleTables) -> Void) async throws {
    log.append("· \(sql)")
    try await reader.execute(sql)
    change(&tables)
    statements = RandomStatements(tables: tables)
    try await prepare()
    try await record()
  }

  /// Reads what the tables hold now.
  mutating func record() async throws { history.append(try await read()) }

  // MARK: Steps

  /// One statement of one client.
  mutating func step() async throws {
    let exclusive = clients.firstIndex { $0.isExclusive }
    let index = exclusive ?? random.int(0...clients.count - 1)
    if clients[index].isOpen {
      try await advance(index)
    } else if random.chance(1, in: 3) {
      try await run(index, statements.next(&random))
      try await committed(index)
    } else {
      try await begin(index)
    }
  }

  /// Steps until no transaction is open.
  mutating func finish() async throws {
    while let index = clients.firstIndex(where: { $0.isExclusive })
      ?? clients.firstIndex(where: { $0.isOpen })
    {
      clients[index].rest = min(clients[index].rest, 1)
      try await advance(index)
    }
  }

  private mutating func begin(_ index: Int) async throws {
    let mode = random.chance(1, in: 8) ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN"
    guard try await run(index, mode) else { return }
    clients[index].isOpen = true
    clients[index].rest = random.pick([0, 1, 2, 3, 5, 8])
    if hasLarge && random.chance(1, in: 6) {
      for sql in statements.large(&random) where clients[index].isOpen { try await run(index, sql) }
    } else if random.chance(1, in: 12) {
      clients[index].isExclusive = true
      try await run(index, statements.truncate(&random))
    }
  }

  private mutating func advance(_ index: Int) async throws {
    guard clients[index].isOpen else { return }
    if clients[index].rest == 0 { return try await end(index) }
    clients[index].rest -= 1
    switch random.int(0...9) {
    case 0...1:
      clients[index].savepoints += 1
      try await run(index, "SAVEPOINT s\(clients[index].savepoints)")
      if clients[index].isOpen { try await run(index, statements.next(&random)) }
    case 2 where clients[index].savepoints > 0:
      // To any of them: those after it are gone.
      let number = random.int(1...clients[index].savepoints)
      clients[index].savepoints = number
      try await run(index, "ROLLBACK TO s\(number)")
    case 3 where clients[index].savepoints > 0:
      let number = random.int(1...clients[index].savepoints)
      clients[index].savepoints = number - 1
      try await run(index, "RELEASE s\(number)")
    default: try await run(index, statements.next(&random))
    }
  }

  private mutating func end(_ index: Int) async throws {
    let isKept = !random.chance(1, in: 5)
    let isDone = try await run(index, isKept ? "COMMIT" : "ROLLBACK")
    clients[index].isOpen = false
    (clients[index].savepoints, clients[index].isExclusive) = (0, false)
    if isDone && isKept { try await committed(index) }
  }

  private mutating func committed(_ index: Int) async throws {
    commits += 1
    try await record()
  }

  /// Runs a statement; if it fails, goes back to the newest savepoint, or ends the transaction.
  @discardableResult
  private mutating func run(_ index: Int, _ sql: String) async throws -> Bool {
    log.append("\(index) \(sql)")
    do {
      try await clients[index].connection.execute(sql)
      return true
    } catch let error as SQLError where !error.state.isEmpty && !error.isShutdown {
      failures[error.state, default: 0] += 1
      log.append("\(index)   failed: \(error)")
      guard clients[index].isOpen else { return false }
      if clients[index].savepoints > 0 && sql.first != "R" {
        try await clients[index].connection.execute("ROLLBACK TO s\(clients[index].savepoints)")
      } else {
        try await clients[index].connection.execute("ROLLBACK")
        clients[index].isOpen = false
        (clients[index].savepoints, clients[index].isExclusive) = (0, false)
      }
      return false
    }
  }

  /// Connects again after the server was killed. What was under way may have been committed or not.
  mutating func reconnect() async throws {
    log.append("· reconnect")
    let connections = try await Self.connect(to: database)
    reader = connections[0]
    for index in clients.indices { clients[index] = Client(connection: connections[1 + index]) }
    try await prepare()
    try await record()
  }
}
