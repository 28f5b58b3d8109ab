import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A random history of tables whose definitions are altered beside the changes of their rows.
///
/// ```
/// partitions   made, split, detached, attached, dropped and truncated; rows that move between them
/// identities   DEFAULT, USING INDEX, FULL and NOTHING, of the root with its partitions, altered in the middle
/// types        ADD VALUE and RENAME VALUE of an enumeration that rows have
/// settings     TimeZone, DateStyle, IntervalStyle, extra_float_digits and bytea_output of the role
/// mixed        transactions that change rows, alter the table and change rows again
/// local        entities with links to rows: cleared with them, or deleted with them
/// volume       transactions of 3,000 rows, perhaps with a wal_sender_timeout of a second
/// ```
struct DefinitionHistory {
  private struct Reading: Entity, Codable {
    let id: Int
    var title: String
    var mood: String
    var level: Double
    static let schema = Schema<Reading> {
      \.title
      \.mood
      \.level
    }
  }

  private struct Remark: Entity {
    let id: Int
    var reading: Ref<Reading>?
    static let schema = Schema<Remark> { Relation(\.reading, onDelete: .nullify) }
  }

  private struct Answer: Entity {
    let id: Int
    var reading: Ref<Reading>?
    static let schema = Schema<Answer> { Relation(\.reading, onDelete: .cascade) }
  }

  private var random: SplitMix64
  private let client: SQLClient
  private let connectionString: String
  /// The partitions, by where they begin and end.
  private var partitions: [Range<Int>] = [0..<20, 20..<40]
  private var detached: Range<Int>?
  private var identity = "DEFAULT"
  private var moods = ["calm", "keen"]
  private var count = 0
  private(set) var log: [String] = []
  private(set) var copies = 0

  init(_ seed: UInt64, in database: TestDatabase) async throws {
    random = SplitMix64(seed: seed)
    client = try await database.connect()
    connectionString = database.connectionString
    var statements = [
      "DROP PUBLICATION IF EXISTS app", "DROP SCHEMA public CASCADE", "CREATE SCHEMA public",
      "CREATE TYPE mood AS ENUM ('calm', 'keen')",
      "CREATE TABLE readings (id int PRIMARY KEY, title text NOT NULL, mood mood NOT NULL, level float8 NOT NULL) PARTITION BY RANGE (id)",
      "CREATE UNIQUE INDEX readings_identity ON readings (title, id)",
      "CREATE PUBLICATION app FOR TABLE readings WITH (publish_via_partition_root)",
      "ALTER DATABASE \(database.name) RESET ALL",
    ]
    for setting in [
      "TimeZone = 'Asia/Kolkata'", "DateStyle = 'German'", "IntervalStyle = 'sql_standard'",
      "extra_float_digits = -10", "bytea_output = 'escape'", "wal_sender_timeout = '1s'",
    ] where random.chance(1, in: 2) {
      statements.append("ALTER DATABASE \(database.name) SET \(setting)")
    }
    for statement in statements { try await execute(statement) }
    for partition in partitions { try await make(partition) }
  }

  mutating func run() async throws {
    for _ in 0..<5 { try await change() }
    var options = PostgresReplica.Options()
    (options.minimumBackoff, options.maximumBackoff) = (.milliseconds(1), .milliseconds(20))
    options.statusInterval = .milliseconds(100)
    options.transactionMemory = random.pick([1_000, 4 << 20])
    let replica = try await PostgresReplica.start(
      connectionString, publication: "app", slot: .temporary, options: options
    ) {
      Replicated("readings", Reading.self)
      Local(Remark.self)
      Local(Answer.self)
    }
    do {
      for round in 0..<random.int(2...5) {
        try await link(replica.store)
        for _ in 0..<random.int(1...5) {
          if random.chance(1, in: 3) { try await alter() } else { try await change() }
        }
        try await check(replica, "round \(round)")
      }
      copies = replica.status.copies
      await replica.close()
    } catch {
      await replica.close()
      throw error
    }
  }

  private mutating func execute(_ sql: String) async throws {
    log.append(sql)
    try await client.execute(sql)
  }

  // MARK: Rows

  private mutating func change() async throws {
    guard let partition = partitions.randomElement(using: &random) else { return }
    let id = random.int(partition.lowerBound...partition.upperBound - 1)
    count += 1
    switch random.int(0...9) {
    case 0...4:
      try await execute(
        "INSERT INTO readings VALUES (\(id), 't\(count)', '\(random.pick(moods))', \(random.pick(["0.1", "1e300", "123456789.12345678"]))) ON CONFLICT (id) DO NOTHING"
      )
    case 5:
      try await execute(
        "UPDATE readings SET title = 'u\(count)', mood = '\(random.pick(moods))' WHERE id >= \(id)")
    case 6:
      // To another partition, perhaps.
      guard let other = partitions.randomElement(using: &random) else { return }
      let free = random.int(other.lowerBound...other.upperBound - 1)
      try await execute(
        "UPDATE readings SET id = \(free) WHERE id = \(id) AND NOT EXISTS (SELECT FROM readings WHERE id = \(free))"
      )
    case 7: try await execute("DELETE FROM readings WHERE id = \(id)")
    case 8: try await execute("TRUNCATE readings")
    default:
      // Many rows, in one transaction, of which those with high numbers are deleted again.
      if !partitions.contains(where: { $0.upperBound == 100_000 }) { try await makeLarge() }
      try await execute(
        "BEGIN; INSERT INTO readings SELECT n, 'many', 'x', n FROM generate_series(1000, 3999) n ON CONFLICT (id) DO NOTHING; DELETE FROM readings WHERE id > \(random.int(1000...1100)) AND id > 40; COMMIT"
          .replacing("'x'", with: "'\(random.pick(moods))'"))
    }
  }

  private mutating func makeLarge() async throws {
    let partition = 40..<100_000
    if detached == partition {
      // It still has the name.
      detached = nil
      try await execute("DROP TABLE \(name(partition))")
    }
    partitions.append(partition)
    try await make(partition)
  }

  /// Objects of the program's own with links to rows.
  private mutating func link(_ store: Store) async throws {
    let ids = store.fetch(Reading.all).map(\.id)
    guard let id = ids.min() else { return }
    count += 1
    let number = count
    try await store.write { tx in
      try tx.insert(Remark(id: number, reading: Ref(id)))
      try tx.insert(Answer(id: number, reading: Ref(id)))
    }
  }

  // MARK: Definitions

  private func name(_ partition: Range<Int>) -> String {
    "readings_\(partition.lowerBound)_\(partition.upperBound)"
  }

  private func bounds(_ partition: Range<Int>) -> String {
    "FOR VALUES FROM (\(partition.lowerBound)) TO (\(partition.upperBound))"
  }

  private mutating func make(_ partition: Range<Int>) async throws {
    // The identity of a root is not that of a new partition.
    let identity = identityStatements([partition]).dropFirst().map { "; \($0)" }.joined()
    try await execute(
      "BEGIN; CREATE TABLE \(name(partition)) PARTITION OF readings \(bounds(partition))\(identity); COMMIT")
  }

  private func identityStatements(_ partitions: [Range<Int>]) -> [String] {
    (["readings"] + partitions.map(name)).map { table in
      let index = table == "readings" ? "readings_identity" : "\(table)_title_id_idx"
      return
        "ALTER TABLE \(table) REPLICA IDENTITY \(identity == "INDEX" ? "USING INDEX \(index)" : identity)"
    }
  }

  private mutating func alter() async throws {
    switch random.int(0...8) {
    case 0:
      guard detached == nil, let index = partitions.indices.randomElement(using: &random),
        partitions.count > 1
      else { return }
      let partition = partitions.remove(at: index)
      if random.chance(1, in: 2) { return try await execute("DROP TABLE \(name(partition))") }
      detached = partition
      try await execute("ALTER TABLE readings DETACH PARTITION \(name(partition))")
    case 1...2:
      guard let partition = detached, !partitions.contains(where: { $0.overlaps(partition) }) else { return }
      detached = nil
      partitions.append(partition)
      let identity = identityStatements([partition]).dropFirst().joined()
      try await execute(
        "BEGIN; ALTER TABLE readings ATTACH PARTITION \(name(partition)) \(bounds(partition)); \(identity); COMMIT"
      )
    case 3:
      guard let index = partitions.firstIndex(where: { $0.count == 20 }) else { return }
      let whole = partitions.remove(at: index)
      let halves = [whole.lowerBound..<whole.lowerBound + 10, whole.lowerBound + 10..<whole.upperBound]
      let made = halves.map { "CREATE TABLE \(name($0)) PARTITION OF readings \(bounds($0))" }
      let identities = identityStatements(halves).dropFirst()
      partitions += halves
      try await execute(
        "BEGIN; ALTER TABLE readings DETACH PARTITION \(name(whole)); \((made + identities).joined(separator: "; ")); INSERT INTO readings SELECT * FROM \(name(whole)); DROP TABLE \(name(whole)); COMMIT"
      )
    case 4: try await execute("TRUNCATE \(name(random.pick(partitions)))")
    case 5:
      identity = random.pick(["DEFAULT", "INDEX", "FULL"])
      let statements = identityStatements(partitions)
      if random.chance(1, in: 3) {
        // With none, the replica refuses the table until it has one again.
        try await execute("ALTER TABLE readings REPLICA IDENTITY NOTHING")
      }
      try await execute("BEGIN; \(statements.joined(separator: "; ")); COMMIT")
    case 6:
      count += 1
      moods.append("mood \(count)")
      try await execute("ALTER TYPE mood ADD VALUE 'mood \(count)'")
    case 7:
      guard detached == nil else { return }
      count += 1
      let change = random.pick([
        "ADD more\(count) int", "ADD more\(count) float8 DEFAULT random()",
        "ADD more\(count) int; ALTER TABLE readings DROP more\(count)",
        "ALTER level TYPE numeric", "ALTER level TYPE float8",
      ])
      try await execute(
        "BEGIN; UPDATE readings SET title = 'before \(count)' WHERE id % 2 = 0; ALTER TABLE readings \(change); UPDATE readings SET title = title || ' after' WHERE id % 3 = 0; COMMIT"
      )
    default:
      count += 1
      let index = random.int(0...moods.count - 1)
      try await execute("ALTER TYPE mood RENAME VALUE '\(moods[index])' TO 'renamed \(count)'")
      moods[index] = "renamed \(count)"
    }
  }

  // MARK: Checking

  /// The store gets to what the tables have, and links lead to what there is.
  private func check(_ replica: PostgresReplica, _ place: String) async throws {
    let rows = try await client.execute(
      "SET extra_float_digits = 3; SELECT id, title, mood, level FROM readings ORDER BY id"
    ).rows
    let expected = rows.map { row in
      "\(row[0] ?? "") \(row[1] ?? "") \(row[2] ?? "") \(row[3].flatMap { Double($0) } ?? .nan)"
    }
    func found() -> [String] {
      replica.store.fetch(Reading.sorted(by: \.id)).map { "\($0.id) \($0.title) \($0.mood) \($0.level)" }
    }
    if await !isReached({ found() == expected }) {
      throw Mismatch("\(place): the store has\n\(found())\nand the table\n\(expected)\n\(replica.status)")
    }
    let store = replica.store.snapshot()
    let ids = Set(store.fetch(Reading.all).map(\.id))
    let links =
      store.fetch(Remark.all).compactMap(\.reading?.id) + store.fetch(Answer.all).map { $0.reading?.id ?? -1 }
    try require(links.allSatisfy(ids.contains), "\(place): links \(links) lead to no rows")
  }
}
