import Foundation
import Testing

import LiveStorePostgreSQL

@Suite struct `Dates of columns` {
  @Test(arguments: [
    // Seconds since 1970, from other programs' calendars.
    ("timestamp", "2026-11-25 08:30:00", 1_795_595_400),
    ("timestamp", "2026-11-25 08:30:00.25", 1_795_595_400.25),
    ("timestamptz", "2026-11-25 08:30:00+00", 1_795_595_400),
    ("timestamptz", "2026-11-25 08:30:00.123456+02", 1_795_588_200.123456),
    ("timestamptz", "2026-11-25 08:30:00-03:30", 1_795_608_000),
    ("timestamptz", "10000-01-01 00:00:00+00", 253_402_300_800), ("date", "2026-11-25", 1_795_564_800),
    ("date", "2000-01-01", 946_684_800), ("date", "1999-12-31", 946_598_400),
    ("date", "2024-02-29", 1_709_164_800),
    ("date", "12026-01-01", 317_336_745_600), ("timestamp", "0001-01-01 00:00:00", -62_135_596_800),
    ("timestamp", "0001-12-31 12:00:00 BC", -62_135_640_000),
    ("timestamp", "4713-11-24 00:00:00 BC", -210_835_180_800), ("date", "4713-11-24 BC", -210_835_180_800),
    ("timestamp", "294276-12-31 23:59:59.999999", 9_224_318_015_999.999_999),
    ("date", "5874897-12-31", 185_331_706_992_000),
    ("timestamptz", "1800-01-01 00:00:00+00:19:32", -5_364_663_572),
  ])
  func `a date is the same instant from both forms`(type: String, literal: String, seconds: Double) throws {
    for row in try ValueSample.of(type, literal).rows() {
      let date: Date = try row.decode("value")
      // 1970 and 2001 are the beginnings of two counts with different rounding.
      #expect(abs(date.timeIntervalSince1970 - seconds) <= max(seconds.ulp, 1.2e-7))
      if seconds == seconds.rounded() { #expect(date.timeIntervalSince1970 == seconds) }
    }
    let dates = try ValueSample.of(type, literal).rows().map { try $0.decode("value", as: Date.self) }
    #expect(dates[0] == dates[1])
  }

  @Test func `the microseconds of a date are the nearest that it has`() throws {
    try ValueSample.expect(
      "timestamptz", "2026-11-25 08:30:00.123456+02",
      Date(timeIntervalSinceReferenceDate: 817_281_000.123456))
    try ValueSample.expect(
      "timestamp", "1999-12-31 23:59:59.999999", Date(timeIntervalSinceReferenceDate: -31_622_400.000001))
  }

  /// Bug: the microseconds were added to a product that had no room for them, which ended the process.
  @Test(arguments: [
    "294278-01-10T04:00:54.775807Z", "294278-01-10T04:00:54.775808Z", "294278-01-10T04:00:55Z",
    "9999999-12-31 23:59:59.999999", "290279-12-22T19:59:05.224191Z BC", "9999999-01-01 00:00:00.000001 BC",
  ])
  func `a date beyond the years of the server is read, however distant`(text: String) throws {
    let date: Date = try textRow(.timestamptz, text).decode("value")
    #expect(date.timeIntervalSinceReferenceDate.magnitude > 9e12)
  }

  @Test func `every number of microseconds is a date`() throws {
    let timestamps: [Int64] = [.min + 1, -9_223_340_414_454_500_000, -9_223_340_414_454_224_192, .max - 1]
    for timestamp in timestamps {
      let row = try binaryRow(.timestamptz, withUnsafeBytes(of: timestamp.bigEndian) { Array($0) })
      let date: Date = try row.decode("value")
      let seconds = date.timeIntervalSinceReferenceDate + 31_622_400
      #expect(abs(seconds - Double(timestamp) / 1e6) < 0.01)
    }
  }

  @Test(arguments: ["date", "timestamp", "timestamptz"])
  func `the infinities are the most distant dates`(type: String) throws {
    try ValueSample.expect(type, "infinity", Date.postgresInfinity)
    try ValueSample.expect(type, "-infinity", Date.postgresNegativeInfinity)
  }

  /// Bug: infinity was read as the first instant of the year 4001, and that was written as infinity.
  @Test(arguments: ["date", "timestamp", "timestamptz"])
  func `an infinity is no other date, and beyond all of them`(type: String) throws {
    let future: Date = try textRow(.named(type), "4001-01-01").decode("value")
    #expect(future == .distantFuture && future != .postgresInfinity)
    for last in ["5874897-12-31", "9999999-12-31"] {
      #expect(try textRow(.named(type), last).decode("value") < Date.postgresInfinity)
    }
    for first in ["4714-11-24 BC", "9999999-01-01 BC"] {
      #expect(try textRow(.named(type), first).decode("value") > Date.postgresNegativeInfinity)
    }
  }

  @Test(arguments: [
    ("2026-11-25 08:30:00+01:30:15", "2026-11-25 06:59:45"),
    ("2026-11-25 08:30:00-15:59:59", "2026-11-26 00:29:59"),
    ("2026-11-25T08:30:00Z", "2026-11-25 08:30:00"), ("2026-11-25T08:30:00.5+0100", "2026-11-25 07:30:00.5"),
    ("2026-12-31 23:30:00-01", "2027-01-01 00:30:00"), ("2026-11-25T08:30", "2026-11-25 08:30:00"),
    ("0001-01-01 00:30:00+01", "0001-12-31 23:30:00 BC"),
    ("0001-01-01 00:30:00+01 BC", "0002-12-31 23:30:00 BC"),
  ])
  func `a text with an offset is read in UTC`(text: String, utc: String) throws {
    let date: Date = try textRow(.timestamptz, text).decode("value")
    #expect(try textRow(.timestamp, utc).decode("value") == date)
    #expect(try textRow(.timestamp, text).decode("value", as: String.self) == utc)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2026-11-31", "0000-01-01 BC",
    "2026-11-25 25:00:00",
    "2026-11-25 08:60:00", "2026-11-25 08:30:61", "2026-11-25 08:30:00.", "2026-11-25 08:30:00+",
    "2026-11-25 08:30:00+1", "2026-11-25 08:30:00+01:60", "2026-11-25 08:30:00+00 AD", "2026-11-25x",
    "infinity ", "inf", "99999999-01-01", "26-01-01", "2026-11-25 ", "-2026-11-25",
  ])
  func `a text that is no date is a mismatch`(text: String) throws {
    for type in [PostgresType.date, .timestamp, .timestamptz] {
      #expect(throws: PostgresError.self) { try textRow(type, text).decode("value", as: Date.self) }
    }
  }

  @Test func `every day of four thousand years is read and written alike`() throws {
    var instant = try #require(day("1000-01-01 BC"))
    var previous = ""
    for _ in 0..<4_000 * 366 / 7 {
      let text = instant.text(.date)
      #expect(day(text) == instant && text != previous)
      previous = text
      guard case .finite(let seconds, _) = instant else { break }
      instant = .finite(seconds: seconds + 7 * 86_400, microseconds: 0)
    }
  }

  private func day(_ text: String) -> PostgresInstant? {
    var text = text
    return text.withUTF8 { PostgresInstant(UnsafeRawBufferPointer($0)) }
  }

  @Test func `a time of day is its text`() throws {
    for literal in ["08:30:00", "24:00:00", "23:59:59.999999", "00:00:00"] {
      try ValueSample.expect("time", literal, literal)
    }
    try ValueSample.expectMismatch("time", "08:30:00", Date.self)
  }
}
