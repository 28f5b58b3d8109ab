import Foundation
import PostgreSQLTestSupport

/// The service beside a database of its own that has the rows of `setup.sql`.
struct Scenario {
  let database: TestDatabase
  let client: SQLClient
  let feed: FeedProcess

  /// The rows of `setup.sql`, as ``Browser/rows`` has them.
  static let rows = [
    "A store that follows the database ♥ 5", "Change sets instead of polling ♥ 3",
    "What a publication publishes ♥ 1",
  ]

  /// Runs a test, and stops the service afterwards.
  ///
  /// - Parameter server: nil for the one that the tests share.
  static func run(
    on server: TestServer? = nil, heartbeat: Double = 5, options: [String] = [],
    _ body: (Scenario) async throws -> Void
  ) async throws {
    let server = if let server { server } else { try await TestServer.shared() }
    try await server.withDatabase { database in
      let client = try await database.connect()
      let setup = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Examples/LiveFeed/setup.sql")
      try await client.execute(try String(contentsOf: setup, encoding: .utf8))
      let feed = try await FeedProcess(
        database.connectionString, heartbeat: heartbeat, options: options)
      let result = await outcome { try await body(Scenario(database: database, client: client, feed: feed)) }
      try await feed.stop()
      try result.get()
    }
  }

  /// Runs a test with a browser that shows the rows of `setup.sql`, each node marked.
  static func runInBrowser(
    on server: TestServer? = nil, _ body: (Scenario, Browser) async throws -> Void
  ) async throws {
    let browser = try await SharedBrowser.instance.browser()
    try await run(on: server) { scenario in
      try await browser.setScreen(.desktop)
      try await browser.open(scenario.feed.url)
      try await browser.shows(Self.rows)
      try await browser.shows(state: "Live")
      try await browser.markRows()
      try await body(scenario, browser)
    }
  }

  private static func outcome(_ body: () async throws -> Void) async -> Result<Void, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
