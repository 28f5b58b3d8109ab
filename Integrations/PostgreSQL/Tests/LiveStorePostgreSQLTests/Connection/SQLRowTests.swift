import Foundation
import LiveStorePostgreSQL
import PostgreSQLTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Rows of statements` {
  /// Reads the only value of a statement.
  private func value<Value: Decodable & Sendable>(_ sql: SQL, as type: Value.Type) async throws -> Value {
    let pool = ConnectionPool(try await TestServer.shared().connectionString(to: "postgres"))
    defer { pool.close() }
    return try await pool.withTransaction { transaction in
      try await transaction.query(sql)[0].decode("v", as: type)
    }.result
  }

  private func expectMismatch<Value: Decodable & Sendable>(_ sql: SQL, as type: Value.Type) async throws {
    let error = await #expect(throws: PostgresError.self, "\(sql) as \(type)") {
      try await value(sql, as: type)
    }
    #expect(error?.code == PostgresError.mismatch && error?.column == "v", "\(sql) as \(type)")
  }

  /// Bug: Foundation reads a decimal number as far as it goes, and rounds it to 38 digits.
  @Test func `a decimal number is read exactly, or refused`() async throws {
    let digits = String(repeating: "1234567890", count: 3) + "12345678"
    #expect(try await value("SELECT \(digits)::numeric AS v", as: Decimal.self).description == digits)
    #expect(
      try await value("SELECT -0.10::numeric AS v", as: Decimal.self)
        == Decimal(sign: .minus, exponent: -1, significand: 1))
    #expect(try await value("SELECT 'NaN'::numeric AS v", as: Decimal.self).isNaN)
    for text in ["\(digits)9", "0.\(digits)9", "1e130"] {
      try await expectMismatch("SELECT \(text)::numeric AS v", as: Decimal.self)
    }
    for text in ["12abc", "1,000.50", "1 2", "", "Infinity", "0x10"] {
      try await expectMismatch("SELECT \(text)::text AS v", as: Decimal.self)
    }
  }

  /// Bug: Swift reads more texts as numbers than the server does.
  @Test func `a floating-point number is one that the server writes`() async throws {
    #expect(try await value("SELECT 1e300::float8 AS v", as: Double.self) == 1e300)
    #expect(try await value("SELECT '-Infinity'::float8 AS v", as: Double.self) == -.infinity)
    #expect(try await value("SELECT 0.1::float4 AS v", as: Float.self) == 0.1)
    for text in ["0x10", "infinity", "nan(7)", "inf"] {
      try await expectMismatch("SELECT \(text)::text AS v", as: Double.self)
      try await expectMismatch("SELECT \(text)::text AS v", as: Float.self)
    }
  }

  /// Bug: a number was read as the seconds since 2001, and the text of a date not at all.
  @Test func `a date is read from a date alone`() async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    #expect(try await value("SELECT \(date)::timestamptz AS v", as: Date.self) == date)
    #expect(try await value("SELECT 'infinity'::timestamptz AS v", as: Date?.self) == .postgresInfinity)
    try await expectMismatch("SELECT extract(epoch FROM now()) AS v", as: Date.self)
    try await expectMismatch("SELECT 5 AS v", as: Date.self)
  }

  private enum Status: String, Codable { case open }

  @Test func `an enumeration is read without the blanks that the server adds`() async throws {
    #expect(try await value("SELECT 'open'::char(8) AS v", as: Status.self) == .open)
    #expect(try await value("SELECT 'open'::char(8) AS v", as: String.self) == "open    ")
    try await expectMismatch("SELECT 'open '::text AS v", as: Status.self)
  }

  /// Bug: microseconds since 1970 of the last two years that a timestamp has were refused.
  @Test func `the first and the last dates that the server has are written and read`() async throws {
    let last = Date(timeIntervalSince1970: 9_224_318_015_999)
    let text: SQL = "SELECT \(last)::timestamptz::text AS v"
    #expect(try await value(text, as: String.self) == "294276-12-31 23:59:59+00")
    for date in [185_331_706_992_000, -210_866_803_200].map({ Date(timeIntervalSince1970: $0) }) {
      #expect(try await value("SELECT \(date)::date AS v", as: Date.self) == date)
    }
    for date in [Date.postgresInfinity, .postgresNegativeInfinity, .distantFuture, .distantPast] {
      #expect(try await value("SELECT \(date)::timestamptz AS v", as: Date.self) == date)
    }
    let error = await #expect(throws: PostgresError.self) {
      try await value("SELECT \(Date(timeIntervalSince1970: 1e13))::timestamptz AS v", as: Date.self)
    }
    #expect(error?.sqlState == "22008")
  }

  /// Bug: names that are equal to Swift, and not to the server, were one.
  @Test func `a column is found by the bytes of its name`() async throws {
    let pool = ConnectionPool(try await TestServer.shared().connectionString(to: "postgres"))
    defer { pool.close() }
    let row = try await pool.withTransaction {
      try await $0.query("SELECT 1 AS \"e\u{301}\", 2 AS \"\u{E9}\"")[0]
    }.result
    #expect(row["e\u{301}"] == "1" && row["\u{E9}"] == "2")
  }
}
