import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private struct Order: Entity, Codable {
  let id: Int
  var customer: String
  var quantity: Int32
  var placedAt: Date
  var token: UUID
  var isPaid: Bool
  static let schema = Schema<Order> {
    \.customer
    \.quantity
    \.placedAt
    \.token
    \.isPaid
  }
}

/// Measured in release, without other load: `LIVESTORE_THOROUGH=1 … --filter 'Speed of copies'`.
@Suite(.serialized, .enabled(if: Environment.isThorough)) struct `Speed of copies` {
  private static let count = 1_000_000

  private static func time(_ body: () async throws -> Void) async throws -> Duration {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now)
  }

  @Test func `a million rows are copied, and the time is printed beside COPY and insertion`() async throws {
    let database = try await TestServer.shared().createDatabase()
    let client = try await database.connect()
    try await client.execute(
      """
      CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL, quantity int NOT NULL,
        "placedAt" timestamptz NOT NULL, token uuid NOT NULL, "isPaid" bool NOT NULL);
      INSERT INTO orders SELECT n, 'customer ' || n % 1000, n % 100, now(), gen_random_uuid(), n % 2 = 0
        FROM generate_series(1, \(Self.count)) n;
      CREATE PUBLICATION orders FOR TABLE orders
      """)
    try await client.execute("VACUUM ANALYZE orders")
    let forms = ["", " (FORMAT binary)"]
    var ratios = Array(repeating: [Double](), count: forms.count)
    for round in 0..<5 {
      var replica: PostgresReplica?
      let start = try await Self.time {
        replica = try await PostgresReplica.start(database.connectionString, publication: "orders") {
          Replicated("orders", Order.self)
        }
      }
      let rows = Array(try #require(replica).store.fetch(Order.all))
      await replica?.close()
      replica = nil
      #expect(rows.count == Self.count)
      let insertion = try await Self.time {
        let store = try Store(Order.self)
        try await store.write { tx in try tx.insert(contentsOf: rows) }
      }
      for (index, form) in forms.enumerated() {
        let copy = try await Self.time {
          let psql = try ChildProcess(
            "psql", [database.connectionString, "-qc", "COPY orders TO STDOUT\(form)"], output: "/dev/null")
          #expect(psql.wait() == .status(0))
        }
        let ratio = start / (copy + insertion)
        if round > 0 { ratios[index].append(ratio) }
        print("copy of \(Self.count) rows: \(start); COPY\(form) \(copy) + insertion \(insertion): \(ratio)")
      }
    }
    for (form, ratios) in zip(forms, ratios) {
      print("copy: median ratio to COPY\(form) \(ratios.sorted()[ratios.count / 2])")
    }
    try await database.drop()
  }
}
