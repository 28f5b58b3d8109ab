package import Foundation
package import LiveStore

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

  /// Reads a number of seconds or milliseconds since 1970, or a text of ISO 8601; nil for what is no time.
  package init?(_ value: JSONText) {
    var milliseconds: Int64?
    if value.bytes.first == UInt8(ascii: "\"") {
      var text = TimeText(UnsafeRawBufferPointer(rebasing: value.bytes.dropFirst().dropLast()))
      milliseconds = text.milliseconds()
    } else if case .number(let number) = value.value {
      // Seconds as a double are a little off; what is less than a microsecond is not meant.
      let scaled = number.double > 1e11 ? number.double : (number.double * 1e6).rounded() / 1e3
      milliseconds = Int64(exactly: scaled.rounded(.down))
    }
    guard let milliseconds, Self.range.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// The time in the form `2026-11-29T18:30:00Z`.
  package func text(hasMilliseconds: Bool) -> String {
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    let day = (milliseconds - (milliseconds < 0 ? 86_399_999 : 0)) / 86_400_000
    let rest = milliseconds - day * 86_400_000
    let (year, month, date) = Self.date(ofDay: day)
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(clock.joined(separator: ":"))"
      + (hasMilliseconds ? ".\(padded(rest % 1_000, 3))Z" : "Z")
  }
}

// MARK: The calendar

// Years begin in March here, so that a leap day is their last, and are counted in cycles of 400 years.
extension UTCTime {
  private static let daysFromMarch0To1970: Int64 = 719_468
  private static let daysOfCycle: Int64 = 146_097

  /// The number of a day since 1970; nil if there is none of this date.
  ///
  /// - Complexity: O(1)
  static func day(year: Int64, month: Int64, date: Int64) -> Int64? {
    guard month >= 1, month <= 12, date >= 1 else { return nil }
    let shifted = year - (month <= 2 ? 1 : 0) + 400
    let monthOfYear = (month + 9) % 12
    let dayOfYear = (153 * monthOfYear + 2) / 5 + date - 1
    let day =
      shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear
      - daysOfCycle - daysFromMarch0To1970
    return self.date(ofDay: day) == (year, month, date) ? day : nil
  }

  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    let shifted = day + daysFromMarch0To1970 + daysOfCycle
    let dayOfCycle = shifted % daysOfCycle
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let monthOfYear = (5 * dayOfYear + 2) / 153
    let month = monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9
    let year = yearOfCycle + (shifted / daysOfCycle - 1) * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthOfYear + 2) / 5 + 1)
  }
}
