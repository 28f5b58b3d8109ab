public import Foundation

extension Date: SQLValue {
  /// The instant in UTC, to the microsecond; `distantPast` and `distantFuture` are `-infinity` and
  /// `infinity`.
  ///
  /// A column of type `timestamp` receives the time in UTC, and one of type `date` the day in UTC.
  public var sqlParameter: SQLParameter {
    if self == .distantPast { return .text("-infinity") }
    if self == .distantFuture { return .text("infinity") }
    let microseconds = (timeIntervalSince1970 * 1e6).rounded()
    // More than the server's range, 4713 BC to 294276 AD; the server refuses what is between.
    guard abs(microseconds) < 9e18 else {
      return .invalid("\(timeIntervalSince1970)", "the date is out of PostgreSQL's range")
    }
    let (days, time) = Self.divided(Int64(microseconds), by: 86_400_000_000)
    let (year, month, day) = Self.civil(days)
    let (seconds, fraction) = Self.divided(time, by: 1_000_000)
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.padded($0, 2) }
    return .text(
      "\(Self.padded(year > 0 ? year : 1 - year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2)) "
        + "\(clock.joined(separator: ":")).\(Self.padded(fraction, 6))+00\(year > 0 ? "" : " BC")")
  }

  /// The quotient, rounded down, and the remainder, which is not negative.
  private static func divided(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// The date of the Gregorian calendar, some days after 1970-01-01.
  ///
  /// Years begin with March, so that a leap day is the last of its year; 400 of them have 146,097 days.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
