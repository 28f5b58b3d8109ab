import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

/// Cuts at each byte, one after another: of starting, and of what comes after.
@Suite(.timeLimit(.minutes(30)), .serialized) struct `Cuts at each byte` {
  private struct Line: Entity, Codable, Equatable {
    let id: Int
    var text: String
    static let schema = Schema<Line> { \.text }
  }

  /// Which bytes are tried: each in thorough runs, else a share that begins differently for each direction.
  private func bytes(upTo count: Int) -> [Int] {
    Array(stride(from: 1, through: count, by: Environment.size(37, thorough: 1)))
  }

  private func withProxy(
    _ body: (TestDatabase, SQLClient, FaultyProxy) async throws -> Void
  ) async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase { database in
      let client = try await database.connect()
      try await client.execute(
        """
        CREATE TABLE lines (id int PRIMARY KEY, text text NOT NULL); CREATE PUBLICATION lines FOR TABLE lines;
        INSERT INTO lines SELECT n, 'line ' || n FROM generate_series(1, 20) n
        """)
      let proxy = try FaultyProxy(to: server.port)
      try await body(database, client, proxy)
      proxy.shutDown()
    }
  }

  private var options: PostgresReplica.Options {
    var options = PostgresReplica.Options()
    options.minimumBackoff = .milliseconds(1)
    options.maximumBackoff = .milliseconds(10)
    // So that there is something to cut on the way to the server.
    options.statusInterval = .milliseconds(20)
    return options
  }

  private func start(_ connectionString: String, _ slot: ReplicationSlot) async throws -> PostgresReplica {
    try await PostgresReplica.start(connectionString, publication: "lines", slot: slot, options: options) {
      Replicated("lines", Line.self)
    }
  }

  private func synced(_ replica: PostgresReplica, _ client: SQLClient, _ place: String) async throws {
    let position = try await client.position()
    let lsn = try #require(LogSequenceNumber(position))
    try await withDeadline("\(place): synced, \(replica.status)") { try await replica.synced(to: lsn) }
  }

  @Test(arguments: FaultyProxy.Direction.allCases)
  func `a start whose connection is cut fails with an error of the connection or has all rows`(
    direction: FaultyProxy.Direction
  ) async throws {
    try await withProxy { database, client, proxy in
      let connectionString = database.connectionString(port: proxy.port)
      let probe = try await start(connectionString, .temporary)
      let length = proxy.forwarded(direction)
      await probe.close()
      for count in bytes(upTo: length + 20) {
        proxy.cut(after: count, direction, count % 2 == 0 ? .close : .reset)
        do {
          let replica = try await start(connectionString, .temporary)
          proxy.heal()
          try await synced(replica, client, "cut after \(count) bytes \(direction)")
          #expect(replica.store.fetch(Line.all).map(\.id) == Array(1...20), "cut after \(count) bytes")
          await replica.close()
        } catch let error as PostgresError {
          #expect(error.isTransient, "cut after \(count) bytes \(direction): \(error)")
        }
        proxy.heal()
      }
    }
  }

  @Test(arguments: FaultyProxy.Direction.allCases)
  func `a stream that is cut goes on where it was, without a repeated or a missing commit`(
    direction: FaultyProxy.Direction
  ) async throws {
    try await withProxy { database, client, proxy in
      let slot = "bytes_\(direction)".lowercased()
      let replica = try await start(database.connectionString(port: proxy.port), .durable(name: slot))
      let store = replica.store
      let before = proxy.cutCount
      for count in bytes(upTo: 600) {
        let version = store.version
        proxy.cut(after: count, direction, count % 2 == 0 ? .close : .reset)
        for part in 1...3 {
          try await client.execute("BEGIN; UPDATE lines SET text = '\(count) \(part)' WHERE id <= 3; COMMIT")
        }
        try await synced(replica, client, "cut after \(count) bytes \(direction)")
        let commits = try await CommitReader.commits(of: store, after: version)
        let texts = commits.map { $0.changes(of: Line.self).compactMap { $0.new?.text } }
        let expected = (1...3).map { part in Array(repeating: "\(count) \(part)", count: 3) }
        #expect(texts == expected, "cut after \(count) bytes \(direction)")
        proxy.heal()
      }
      #expect(proxy.cutCount > before)
      try await replica.dropSlot()
    }
  }
}
