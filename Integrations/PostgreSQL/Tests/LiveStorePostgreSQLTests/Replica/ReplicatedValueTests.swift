import Foundation
import LiveStore
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

private enum Size: String, Codable { case small, large }

private struct Booking: Entity, Codable, Equatable {
  let id: Int
  var during: String
  var ends: Date
  var size: Size
  var data: JSONValue
  var parts: [String: JSONValue]
  static let schema = Schema<Booking> {
    \.during
    \.ends
    \.size
    \.data
    \.parts
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Values of replicas` {
  /// Bugs: ranges had the time zone of the role; infinity was the year 4001; numbers of JSON were rounded both ways.
  @Test func `a value that is read and written back is the one that was there`() async throws {
    let server = try await TestServer.shared()
    try await server.withDatabase(["timezone": "Asia/Kolkata"]) { database in
      let digits = "12345678901234567890123456789012345678901234567890"
      let client = try await database.connect()
      let row = """
        tstzrange('2026-01-31 00:00+00', '2026-02-01 00:00+00'), 'infinity', 'small', '{"n": \(digits)}', '{"n": \(digits)}'
        """
      try await client.execute(
        """
        CREATE TABLE bookings (id int PRIMARY KEY, during tstzrange NOT NULL, ends timestamptz NOT NULL,
          size char(8) NOT NULL, data jsonb NOT NULL, parts jsonb NOT NULL);
        INSERT INTO bookings VALUES (1, \(row)); CREATE PUBLICATION app FOR TABLE bookings
        """)
      let replica = try await PostgresReplica.start(database.connectionString, publication: "app") {
        Replicated("bookings", Booking.self)
      }
      // One is copied, one comes by the stream.
      try await client.execute("INSERT INTO bookings VALUES (2, \(row))")
      try await replica.synced(to: try #require(LogSequenceNumber(try await client.position())))
      let number = try JSONValue(parsing: digits)
      for id in [1, 2] {
        #expect(
          replica.store[Booking.self, id]
            == Booking(
              id: id, during: #"["2026-01-31 00:00:00+00","2026-02-01 00:00:00+00")"#,
              ends: .postgresInfinity,
              size: .small, data: ["n": number], parts: ["n": number]))
      }
      let read = try #require(replica.store[Booking.self, 1])
      try await replica.write { sql in
        try await sql.execute(
          """
          INSERT INTO bookings VALUES (3, \(read.during)::tstzrange, \(read.ends), \(read.size), \(json: read.data),
            \(json: read.parts))
          """)
      }
      #expect(
        try await client.value(
          """
          SELECT count(*) FROM bookings a JOIN bookings b USING (during, ends, size)
          WHERE a.id = 1 AND b.id = 3 AND a.data::text = b.data::text AND a.parts::text = b.parts::text
          """) == "1")
      await replica.close()
    }
  }
}
