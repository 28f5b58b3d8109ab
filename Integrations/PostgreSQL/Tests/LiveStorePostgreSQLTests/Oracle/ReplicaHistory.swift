import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A random history of tables, and a replica that follows it.
///
/// ```
/// schemas      names, order and types of columns, replica identities, row filters, all tables or some
/// values       of each type; large ones that an update does not send; text forms as the database has them
/// clients      up to three, with savepoints, transactions that fail or are rolled back, exclusive locks
/// volume       transactions that the server streams
/// refused      in every third history, numbers, cases and JSON that no entity can hold, whose rows are left out
/// replicas     temporary and durable slots, a second store, writes through the replica, local entities
/// ```
struct ReplicaHistory {
  private var random: SplitMix64
  private var tables: SampleTables
  private let place: Place
  /// The name that the server has for the replica.
  private let application: String
  private var workload: Workload
  private var drafts = 0
  private(set) var commits = 0

  /// What happened, for a failure.
  var log: [String] { workload.log }
  var transactions: Int { workload.commits }

  /// A database and clients of it, which histories use one after another.
  struct Place: Sendable {
    let server: TestServer
    let database: TestDatabase
    let connections: [SQLClient]

    init(_ server: TestServer) async throws {
      self.server = server
      database = try await server.createDatabase()
      connections = try await Workload.connect(to: database)
    }

    /// Ends the transactions of a history that failed.
    func rollBack() async throws {
      for connection in connections { try await connection.execute("ROLLBACK") }
    }
  }

  init(_ seed: UInt64, in place: Place) async throws {
    random = SplitMix64(seed: seed)
    tables = SampleTables(&random)
    self.place = place
    application = "history \(seed)"
    tables.hasRefused = random.chance(1, in: 3)
    try await place.rollBack()
    try await tables.create(in: place.database)
    let hasLarge = random.chance(1, in: 3)
    workload = try await Workload(
      place.database, tables, random.fork(), hasLarge: hasLarge, connections: place.connections)
  }

  mutating func run() async throws {
    for _ in 0..<random.pick([0, 5, 15]) { try await workload.step() }
    if random.chance(1, in: 2) { try await workload.finish() }
    let slot: ReplicationSlot = random.chance(1, in: 6) ? .durable(name: place.database.name) : .temporary
    workload.log.append("· start with \(slot)")
    let replica = try await start(slot)
    do {
      try await follow(replica)
      if case .durable = slot { try await replica.dropSlot() } else { await replica.close() }
    } catch {
      await replica.close()
      throw error
    }
  }

  /// Starts the replica while transactions go on.
  private mutating func start(_ slot: ReplicationSlot) async throws -> PostgresReplica {
    let (tables, connectionString) = (tables, place.database.connectionString)
    var options = PostgresReplica.Options()
    options.applicationName = application
    let task = Task { [options] in try await tables.start(connectionString, slot: slot, options: options) }
    for _ in 0..<random.pick([0, 3, 10]) { try await workload.step() }
    // A slot is made when the transactions that are open have ended.
    try await workload.finish()
    return try await task.value
  }

  private mutating func follow(_ replica: PostgresReplica) async throws {
    let store = replica.store
    let start = store.snapshot()
    let queries = LiveQueries(store)
    let second = random.chance(1, in: 5) ? try await replica.addStore() : nil
    for round in 1...random.int(1...3) {
      for _ in 0..<random.int(4...14) {
        switch random.int(0...14) {
        case 0: try await writeDraft(store)
        case 1: try await writeThroughReplica(replica)
        default: try await workload.step()
        }
      }
      if random.chance(2, in: 3) { try await workload.finish() }
      try await check(replica, "round \(round)")
    }
    try await workload.finish()
    try await check(replica, "end")
    try await queries.check("end")
    let observed = try await CommitReader.commits(of: store, after: start.version)
    let copies = try copies(replica)
    if replica.status.copyReasons[.mismatch] == nil {
      commits = try workload.history.check(Contents(of: start), observed, gaps: copies, "commits")
    }
    try checkPositions(of: observed, replica, copies: copies)
    try checkReadOnly(store)
    if let second { try await checkSecond(second) }
  }

  /// How often the tables were copied since the start: once for each stream that the server did not go on with, and for rows
  /// that can be read since an update that has not sent all of them.
  private func copies(_ replica: PostgresReplica) throws -> Int {
    let reconnections = replica.status.reconnections
    if reconnections == 0 { return 0 }
    let ended = place.server.undecodedStreams(of: application)
    let mended = tables.hasRefused ? replica.status.copyReasons[.mismatch] ?? 0 : 0
    try require(
      reconnections == ended + mended,
      "\(reconnections) reconnections, and the server ended \(ended) streams; \(mended) copies of rows")
    return reconnections
  }

  /// Each commit but those of copies is a transaction of the server, at a later position than the one before.
  private func checkPositions(of commits: [Commit], _ replica: PostgresReplica, copies: Int) throws {
    var last = LogSequenceNumber(rawValue: 0)
    var others = 0
    for commit in commits {
      guard let transaction = replica.transaction(of: commit.version) else {
        others += 1
        try require(others <= copies, "\(commit) is no transaction of the server")
        continue
      }
      try require(transaction.lsn > last, "\(commit) is at \(transaction.lsn), after \(last)")
      last = transaction.lsn
    }
  }

  /// Another store of the replica gets there as well.
  private func checkSecond(_ store: Store) async throws {
    let contents = workload.contents
    if await isReached({ Contents(of: store.snapshot()) == contents }) { return }
    try Contents(of: store.snapshot()).check(contents, "a second store")
  }

  /// After waiting for all that was committed, the store holds what the tables hold.
  private mutating func check(_ replica: PostgresReplica, _ place: String) async throws {
    if try await !reaches(try await position(), replica) {
      // A copy waits for the transactions that are open.
      try await workload.finish()
      try await replica.synced(to: try await position())
    }
    try await compare(replica, place)
  }

  /// The store has what the tables have, at once unless a row comes by a copy. That waits for the transactions that are open.
  private mutating func compare(_ replica: PostgresReplica, _ place: String) async throws {
    let store = replica.store
    if tables.hasRefused, Contents(of: store.snapshot()) != workload.contents {
      try await workload.finish()
      let contents = workload.contents
      _ = await isReached { Contents(of: store.snapshot()) == contents }
    }
    try Contents(of: store.snapshot()).check(workload.contents, place)
  }

  private mutating func position() async throws -> LogSequenceNumber {
    let position = try await workload.position()
    workload.log.append("· synced to \(position)")
    guard let lsn = LogSequenceNumber(position) else { throw Mismatch("\(position) is no position") }
    return lsn
  }

  /// Waits until the store has what was committed before a position.
  ///
  /// - Returns: false if the stream ended before, so that the replica copies the tables.
  private func reaches(_ lsn: LogSequenceNumber, _ replica: PostgresReplica) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await replica.synced(to: lsn)
        return true
      }
      group.addTask { await replica.states.first { $0 != .streaming } == nil }
      defer { group.cancelAll() }
      return try await group.next() ?? false
    }
  }

  // MARK: Writing

  private mutating func writeDraft(_ store: Store) async throws {
    drafts += 1
    let draft = World.Draft(id: drafts, text: "draft")
    try await store.write { tx in try tx.insert(draft) }
  }

  /// A transaction through the replica is in its store when the call returns.
  private mutating func writeThroughReplica(_ replica: PostgresReplica) async throws {
    try await workload.finish()
    let statements = RandomStatements(tables: tables)
    // Statements of the same words as those of clients, some of which the server refuses.
    let sqls = (0..<random.int(1...3)).map { _ in statements.next(&random) }.filter { !$0.contains("; ") }
    workload.log += sqls.map { "w \($0)" }
    do {
      try await replica.write { sql in
        for text in sqls { try await sql.execute("\(raw: text)") }
      }
    } catch let error as PostgresError {
      workload.log.append("w   failed: \(error)")
      return
    }
    try await workload.record()
    try await compare(replica, "after a write through the replica")
  }

  private func checkReadOnly(_ store: Store) throws {
    let version = store.version
    let label = World.Label(id: "new", weight: nil, aliases: [], note: nil, mood: nil)
    let error = Result { try insert(label, into: store) }
    if case .success = error { throw Mismatch("a replicated entity was written to") }
    try require(store.version == version, "a refused write made a version")
  }

  /// Not `async`, so that it is the blocking form.
  private func insert(_ label: World.Label, into store: Store) throws {
    try store.write { tx in try tx.insert(label) }
  }
}
