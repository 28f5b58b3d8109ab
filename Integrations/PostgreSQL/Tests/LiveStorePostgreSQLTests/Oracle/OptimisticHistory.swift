import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A random history of writes that a store shows before the server has them, beside clients that write as well.
struct OptimisticHistory {
  /// What the statements of a write do.
  private enum Outcome: CaseIterable { case same, other, nothing, refused, thrown }

  /// What a write throws that is given up.
  private struct GivenUp: Error {}

  private var random: SplitMix64
  private let tables: SampleTables
  private let database: TestDatabase
  private var workload: Workload
  private(set) var writes = 0

  var log: [String] { workload.log }

  init(_ seed: UInt64, in place: ReplicaHistory.Place) async throws {
    random = SplitMix64(seed: seed)
    tables = SampleTables(&random)
    database = place.database
    try await place.rollBack()
    try await tables.create(in: database)
    workload = try await Workload(
      database, tables, random.fork(), hasLarge: false, connections: place.connections)
  }

  mutating func run() async throws {
    for _ in 0..<25 { try await workload.step() }
    try await workload.finish()
    let replica = try await tables.start(database.connectionString, slot: .temporary)
    do {
      try await follow(replica)
      await replica.close()
    } catch {
      await replica.close()
      throw error
    }
  }

  private mutating func follow(_ replica: PostgresReplica) async throws {
    let store = replica.store
    let queries = LiveQueries(store)
    let excluding = CheckedObserver<World.Article>(receivesAll: false)
    let token = store.observe(World.Article.all, excluding: ["optimistic"]) { excluding.receive($0) }
    for round in 1...random.int(2...5) {
      let tasks = (0..<random.int(1...3)).map { _ in write(replica) }
      for _ in 0..<random.int(0...6) { try await workload.step() }
      // They may wait for the locks of the clients.
      try await workload.finish()
      for task in tasks { try await task.value }
      try await workload.record()
      // What the clients committed last may still be on its way.
      try await synced(replica)
      try Contents(of: store.snapshot()).check(workload.contents, "round \(round)")
    }
    // An observer is not given the edits that it excludes, but they are in the next event that it is given.
    try await workload.execute(insertion)
    try await synced(replica)
    try await queries.check("end")
    try await store.settled()
    try require(
      excluding.breaches.isEmpty, "an observer that excludes optimistic edits: \(excluding.breaches)")
    try require(
      excluding.rows == Array(store.fetch(World.Article.all)),
      "an observer that excludes optimistic edits is not at the end")
    token.invalidate()
  }

  private func synced(_ replica: PostgresReplica) async throws {
    let position = try await workload.position()
    guard let lsn = LogSequenceNumber(position) else { throw Mismatch("\(position) is no position") }
    try await replica.synced(to: lsn)
  }

  /// An article that no write is of.
  private var insertion: String {
    var random = random
    let articles = tables.articles
    let names = articles.columns.indices.map { articles.column($0) }.joined(separator: ", ")
    let values = ["90"] + articles.values(&random).dropFirst()
    return "INSERT INTO \(articles.name) (\(names)) VALUES (\(values.joined(separator: ", ")))"
  }

  /// Begins a write of an article's likes.
  private mutating func write(_ replica: PostgresReplica) -> Task<Void, any Error> {
    writes += 1
    let articles = tables.articles
    let id = random.int(1...12)
    let (likes, others) = (random.int(-3...9), random.int(-3...9))
    let outcome = random.pick(Outcome.allCases)
    let number = outcome == .other ? others : likes
    let isDeletion = random.chance(1, in: 6)
    let column = articles.column(3)
    let change =
      isDeletion ? "DELETE FROM \(articles.name)" : "UPDATE \(articles.name) SET \(column) = \(number)"
    let sql = "\(change) WHERE id = \(id)"
    workload.log.append("o \(sql): \(outcome)")
    return Task {
      do {
        try await replica.write(optimistically: { tx in
          if tx[World.Article.self, id] == nil { return }
          if isDeletion {
            try tx.delete(World.Article.self, id)
          } else {
            try tx.update(World.Article.self, id) { $0.likeCount = likes }
          }
        }) { transaction in
          if outcome == .nothing { return }
          _ = try await transaction.execute("\(raw: sql)")
          if outcome == .refused { _ = try await transaction.execute("SELECT 1 / 0") }
          if outcome == .thrown { throw GivenUp() }
        }
        try require(outcome != .refused && outcome != .thrown, "a write that fails did not throw: \(sql)")
      } catch is GivenUp where outcome == .thrown {
      } catch let error as PostgresError {
        // The clients may be in the way.
        try require(outcome == .refused || error.sqlState?.hasPrefix("40") == true, "\(sql) threw \(error)")
      }
    }
  }
}
