// Days are counted as in Howard Hinnant's `days_from_civil` and `civil_from_days`
// (https://howardhinnant.github.io/date_algorithms.html).

extension PostgresInstant {
  /// Reads a date or time in ISO 8601 as the server writes it, with a year of any length, an era and an offset, or as
  /// other programs do, with a `T` and a `Z`. Without an offset it is in UTC.
  ///
  /// - Returns: nil if the text is none. Digits after the microseconds are left out.
  package init?(_ text: UnsafeRawBufferPointer) {
    var cursor = ByteCursor(text)
    if cursor.take("infinity" as StaticString) {
      self = .infinity
    } else if cursor.take("-infinity" as StaticString) {
      self = .negativeInfinity
    } else {
      guard let instant = Self.finite(&cursor) else { return nil }
      self = instant
    }
    if !cursor.isAtEnd { return nil }
  }

  private static func finite(_ cursor: inout ByteCursor) -> PostgresInstant? {
    guard let year = cursor.digits(4...7), cursor.take("-" as Unicode.Scalar),
      let month = cursor.digits(2...2),
      1...12 ~= month, cursor.take("-" as Unicode.Scalar), let day = cursor.digits(2...2)
    else { return nil }
    var (seconds, microseconds) = (0, 0)
    if cursor.peek == UInt8(ascii: "T") || (cursor.peek == UInt8(ascii: " ") && !isEra(cursor)) {
      _ = cursor.next()
      guard let time = time(&cursor) else { return nil }
      (seconds, microseconds) = time
      guard let offset = offset(&cursor) else { return nil }
      seconds -= offset
    }
    let isBeforeChrist = cursor.take(" BC" as StaticString)
    guard year > 0 || !isBeforeChrist else { return nil }
    // Before the year 1 is the year 1 BC, which is the year 0 of the calculation.
    let astronomical = isBeforeChrist ? 1 - year : year
    guard 1...daysOfMonth(astronomical, month) ~= day else { return nil }
    let days = days(astronomical, month, day)
    return .finite(seconds: Int64(days * 86_400 + seconds), microseconds: Int32(microseconds))
  }

  private static func isEra(_ cursor: ByteCursor) -> Bool {
    var cursor = cursor
    return cursor.take(" BC" as StaticString)
  }

  /// Seconds and microseconds since midnight.
  static func time(_ cursor: inout ByteCursor) -> (seconds: Int, microseconds: Int)? {
    guard let hour = cursor.digits(2...2), hour <= 24, cursor.take(":" as Unicode.Scalar),
      let minute = cursor.digits(2...2), minute < 60
    else { return nil }
    var (second, microseconds) = (0, 0)
    if cursor.take(":" as Unicode.Scalar) {
      guard let seconds = cursor.digits(2...2), seconds <= 60 else { return nil }
      second = seconds
      if cursor.take("." as Unicode.Scalar) {
        guard let digit = cursor.next()?.decimalDigit else { return nil }
        var unit = 100_000
        microseconds = Int(digit) * unit
        while let digit = cursor.peek?.decimalDigit {
          unit /= 10
          microseconds += Int(digit) * unit
          _ = cursor.next()
        }
      }
    }
    return (hour * 3_600 + minute * 60 + second, microseconds)
  }

  /// Seconds to the east of UTC: none if there is no offset, nil if there is one that cannot be read.
  private static func offset(_ cursor: inout ByteCursor) -> Int? {
    if cursor.take("Z" as Unicode.Scalar) { return 0 }
    let isEast = cursor.take("+" as Unicode.Scalar)
    guard isEast || cursor.take("-" as Unicode.Scalar) else { return 0 }
    guard let hours = cursor.digits(2...2) else { return nil }
    var seconds = hours * 3_600
    // Other programs leave out the first colon.
    if cursor.take(":" as Unicode.Scalar) || cursor.peek?.decimalDigit != nil {
      guard let minutes = cursor.digits(2...2), minutes < 60 else { return nil }
      seconds += minutes * 60
      if cursor.take(":" as Unicode.Scalar) {
        guard let rest = cursor.digits(2...2), rest < 60 else { return nil }
        seconds += rest
      }
    }
    return isEast ? seconds : -seconds
  }

  private static func daysOfMonth(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from 1970-01-01 to 2000-01-01.
  private static let epochDay = 10_957

  /// Days since 2000.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468 - epochDay
  }

  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let day = days + epochDay + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// The text as the server writes it in the style ISO and the time zone UTC.
  package func text(_ kind: PostgresType.Kind) -> String {
    guard case .finite(let seconds, let microseconds) = self else {
      return self == .infinity ? "infinity" : "-infinity"
    }
    let second = Int(((seconds % 86_400) + 86_400) % 86_400)
    let (year, month, day) = Self.civil((Int(seconds) - second) / 86_400)
    let shownYear = year > 0 ? year : 1 - year
    var text = "\(Self.padded(shownYear, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    if kind != .date {
      text += " " + Self.timeText(second, Int(microseconds))
      if kind == .timestamptz { text += "+00" }
    }
    return year > 0 ? text : text + " BC"
  }

  /// The text in ISO 8601 and UTC, as other programs write it; the infinities are the server's.
  var iso8601: String {
    text(.timestamptz).replacing("+00", with: "Z").replacing(" ", with: "T", maxReplacements: 1)
  }

  static func timeText(_ seconds: Int, _ microseconds: Int) -> String {
    var text = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
    if microseconds > 0 {
      text += "." + padded(microseconds, 6)
      while text.last == "0" { text.removeLast() }
    }
    return text
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
