package import Foundation
import LiveStore

/// A time, to the millisecond.
package struct UTCTime: Hashable, Sendable {
  /// The milliseconds since 1970.
  package let milliseconds: Int64

  /// The time that is so many milliseconds after 1970.
  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The time of a date.
  package init(_ date: Date) {
    milliseconds = Int64((date.timeIntervalSince1970 * 1_000).rounded(.down))
  }

  /// The years 1 to 9999.
  private static let range: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000

  /// Reads a number of seconds or milliseconds since 1970, a date from 19000101 to 21001231, or a text of ISO 8601; nil for
  /// any other value.
  package init?(_ value: JSONText) {
    var milliseconds: Int64?
    if value.bytes.first == UInt8(ascii: "\"") {
      var text = TimeText(UnsafeRawBufferPointer(rebasing: value.bytes.dropFirst().dropLast()))
      milliseconds = text.milliseconds()
    } else if case .number(let number) = value.value {
      // As seconds it would be a time between 8 August and 1 September 1970.
      if let date = number.integer, 19_000_101...21_001_231 ~= date {
        let day = Self.day(year: date / 10_000, month: date / 100 % 100, date: date % 100)
        guard let day else { return nil }
        self.milliseconds = day * 86_400_000
        return
      }
      // Seconds as a double are a little off; what is less than a microsecond is not meant.
      let scaled = number.double > 1e11 ? number.double : (number.double * 1e6).rounded() / 1e3
      milliseconds = Int64(exactly: scaled.rounded(.down))
    }
    guard let milliseconds, Self.range.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// The time in the form `2026-11-29T18:30:00Z`.
  package func text(hasMilliseconds: Bool) -> String {
    let rest = (milliseconds % 1_000 + 1_000) % 1_000
    var (seconds, parts) = (time_t((milliseconds - rest) / 1_000), tm())
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int32, _ width: Int = 2) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let (year, month) = (padded(parts.tm_year + 1_900, 4), padded(parts.tm_mon + 1))
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded($0) }.joined(separator: ":")
    let end = hasMilliseconds ? ".\(padded(Int32(rest), 3))Z" : "Z"
    return "\(year)-\(month)-\(padded(parts.tm_mday))T\(clock)\(end)"
  }

  /// The number of a day since 1970; nil if there is none of this date.
  ///
  /// - Complexity: O(1)
  static func day(year: Int64, month: Int64, date: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let length = month == 2 ? isLeap ? 29 : 28 : 30 + (month + month / 8) % 2
    guard year >= 1, month >= 1, month <= 12, date >= 1, date <= length else { return nil }
    // The days before the month, as if February had 30.
    let days = (367 * month - 362) / 12 - (month <= 2 ? 0 : isLeap ? 1 : 2) + date
    let before = year - 1
    return before * 365 + before / 4 - before / 100 + before / 400 + days - daysTo1970
  }

  /// From the day before the first of the year 1.
  private static let daysTo1970: Int64 = 719_163
}
