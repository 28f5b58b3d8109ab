import Foundation
import Testing

import LiveStorePostgreSQL

@Suite struct `SQL with parameters` {
  private enum Status: String, CaseIterable { case open, closed }
  private enum Level: Int, SQLValue { case low = 1, high = 2 }

  private func text(_ value: some SQLValue) throws -> String? { try value.sqlParameter.text }

  @Test func `a literal without interpolations is the text alone`() throws {
    let sql: SQL = "SELECT 1"
    #expect(sql.text == "SELECT 1")
    #expect(try sql.parameters.isEmpty)
  }

  @Test func `values become parameters that are numbered in order`() throws {
    let (title, id) = ("Robert'); DROP TABLE posts;--", 7)
    let sql: SQL = "UPDATE posts SET title = \(title) WHERE id = \(id)"
    #expect(sql.text == "UPDATE posts SET title = $1 WHERE id = $2")
    #expect(try sql.parameters == [title, "7"])
    #expect(!sql.description.contains("DROP"))
  }

  @Test func `a part of a statement brings its parameters`() throws {
    let condition: SQL = "author = \(3) AND \(identifier: "status") = \(Status.open)"
    let sql: SQL = "SELECT * FROM posts WHERE id > \(1) AND (\(condition)) LIMIT \(10)"
    #expect(sql.text == #"SELECT * FROM posts WHERE id > $1 AND (author = $2 AND "status" = $3) LIMIT $4"#)
    #expect(try sql.parameters == ["1", "3", "open", "10"])
  }

  @Test func `names are quoted, and raw texts are not`() {
    let sql: SQL = #"SELECT * FROM \#(identifier: "my schema", "a\"b") ORDER BY \#(raw: "id DESC")"#
    #expect(sql.text == #"SELECT * FROM "my schema"."a""b" ORDER BY id DESC"#)
  }

  @Test func `literals of commands are quoted`() {
    #expect(SQL.literal("it's") == "'it''s'")
    #expect(SQL.literal(#"a\b"#) == #" E'a\\b'"#)
  }

  @Test func `raw values, optionals and both at once are parameters`() throws {
    let (status, none) = (Optional(Status.closed), Status?.none)
    let (level, noLevel) = (Optional(Level.high), Level?.none)
    let sql: SQL =
      "\(Status.open)\(status)\(none)\(Level.low)\(level)\(noLevel)\([Level.low])\(Int?.none)\(Optional("x"))"
    #expect(try sql.parameters == ["open", "closed", nil, "1", "2", nil, #"{"1"}"#, nil, "x"])
  }

  @Test func `numbers keep each digit`() throws {
    #expect(try text(Int64.min) == "-9223372036854775808")
    #expect(try text(UInt64.max) == "18446744073709551615")
    #expect(try text(0.1) == "0.1")
    #expect(try text(Double.nan) == "nan")
    #expect(try text(-Double.infinity) == "-inf")
    #expect(
      try text(Decimal(string: "12345678901234567890.12345678901234567"))
        == "12345678901234567890.12345678901234567")
    #expect(try text(Decimal.nan) == "NaN")
  }

  @Test func `bytes are hexadecimal`() throws {
    #expect(try text(Data([0, 1, 0xAB, 0xFF])) == #"\x0001abff"#)
    #expect(try text(Data()) == #"\x"#)
  }

  @Test func `arrays quote their elements`() throws {
    #expect(try text([1, 2, 3]) == #"{"1","2","3"}"#)
    #expect(try text(["a\"b", "c\\d", "NULL", "", "{,}"]) == #"{"a\"b","c\\d","NULL","","{,}"}"#)
    #expect(try text([1, nil]) == #"{"1",NULL}"#)
    #expect(try text([[1], [2]]) == #"{{"1"},{"2"}}"#)
    #expect(try text([Int]()) == "{}")
    let statuses: SQL = "\(Status.allCases)"
    #expect(try statuses.parameters == [#"{"open","closed"}"#])
  }

  @Test(
    arguments: [
      (0, "1970-01-01 00:00:00+00"), (-1e-6, "1969-12-31 23:59:59.999999+00"),
      (951_827_696.123456, "2000-02-29 12:34:56.123456+00"), (1_798_761_599, "2026-12-31 23:59:59+00"),
      (253_402_300_800, "10000-01-01 00:00:00+00"),
      (-62_135_596_801, "0001-12-31 23:59:59+00 BC"),
      // The last microsecond of a second that is nearest to a date may be the next second.
      (1_798_761_598.999_999_9, "2026-12-31 23:59:59+00"), (64_092_211_200, "4001-01-01 00:00:00+00"),
      (9_224_318_015_999, "294276-12-31 23:59:59+00"), (185_331_706_992_000, "5874897-12-31 00:00:00+00"),
      (-210_866_803_200, "4714-11-24 00:00:00+00 BC"),
      (-62_198_755_200, "0002-01-01 00:00:00+00 BC"), (4_107_542_400, "2100-03-01 00:00:00+00"),
    ] as [(Double, String)])
  func `dates are in UTC, to the microsecond`(seconds: Double, expected: String) throws {
    #expect(try text(Date(timeIntervalSince1970: seconds)) == expected)
  }

  @Test func `dates without bounds are infinite, and others beyond all bounds are refused`() throws {
    #expect(try text(Date.postgresNegativeInfinity) == "-infinity")
    #expect(try text(Date.postgresInfinity) == "infinity")
    #expect(throws: PostgresError.self) { try text(Date(timeIntervalSince1970: .nan)) }
    for seconds in [1e300, 185_331_707_078_400, -210_866_803_200.01] {
      #expect(throws: PostgresError.self) { try text(Date(timeIntervalSince1970: seconds)) }
    }
  }

  @Test func `a value is encoded as JSON, and one that cannot be throws when the statement is run`() throws {
    struct Event: Encodable { var name: String, at: Date, size: Double }
    let event: SQL = "\(json: Event(name: "a/b", at: Date(timeIntervalSince1970: 0), size: 1.5))"
    #expect(try event.parameters == [#"{"at":"1970-01-01T00:00:00Z","name":"a/b","size":1.5}"#])
    let invalid: [SQL] = [
      "\(json: Event(name: "", at: .now, size: .nan))", "\(json: [Decimal.nan])",
      "\(json: [Date(timeIntervalSince1970: 1e300)])",
    ]
    for sql in invalid {
      let error = #expect(throws: PostgresError.self) { try sql.parameters }
      #expect(error?.code == PostgresError.mismatch)
    }
  }
}
