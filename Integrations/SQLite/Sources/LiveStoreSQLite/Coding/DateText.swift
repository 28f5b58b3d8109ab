import Foundation

/// Dates as SQLite's own functions read them: `2026-11-25 08:30:00.250`, in UTC.
///
/// A date is a binary fraction of seconds since 2001. It has three decimals, or as many as tell it from its neighbours,
/// nine at the most; where they do not suffice, and beyond the years 0 to 9999, it is the seconds since 2001: `7e+20 s`. So
/// what is read is always the date that was written, and a number is none: that of a property which was a number before
/// counts from another day.
///
/// Days are counted as in Howard Hinnant's `days_from_civil` and `civil_from_days`
/// (https://howardhinnant.github.io/date_algorithms.html).
enum DateText {
  static func column(of date: Date) -> ColumnValue {
    let seconds = date.timeIntervalSinceReferenceDate
    return .text(
      text(of: seconds) ?? (seconds.isFinite ? "\(seconds)\(unit)" : seconds.isNaN ? "nan" : "\(seconds)"))
  }

  static func date(_ value: ColumnValue) -> Date? {
    guard case .text(let text) = value else { return nil }
    // By bytes: a letter may have any number of marks, and comparing it as text would take long.
    let special = ["nan", "inf", "-inf"].first { text.utf8.elementsEqual($0.utf8) }
    return (special.flatMap(Double.init) ?? seconds(of: text) ?? writtenSeconds(text)).map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
  }

  private static let unit = " s"

  private static func writtenSeconds(_ text: String) -> Double? {
    guard text.utf8.count > unit.utf8.count, let seconds = Double(text.dropLast(unit.count)) else {
      return nil
    }
    // In the form in which it is written.
    guard case .text(let written) = column(of: Date(timeIntervalSinceReferenceDate: seconds)) else {
      return nil
    }
    return written.utf8.elementsEqual(text.utf8) ? seconds : nil
  }

  /// Days from 1970 to 2001.
  private static let referenceDay = 11_323

  private static func text(of seconds: Double) -> String? {
    guard seconds.magnitude < 1e12 else { return nil }
    let whole = seconds.rounded(.down)
    for (digits, unit) in [(3, 1e3), (6, 1e6), (9, 1e9)] {
      let fraction = ((seconds - whole) * unit).rounded()
      if fraction < unit, whole + fraction / unit == seconds {
        return text(of: Int(whole), fraction: Int(fraction), digits: digits)
      }
    }
    return nil
  }

  private static func text(of seconds: Int, fraction: Int, digits: Int) -> String? {
    let second = ((seconds % 86_400) + 86_400) % 86_400
    let day = (seconds - second) / 86_400 + referenceDay + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    guard 0...9999 ~= year else { return nil }
    let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
    // Four digits for the year, two for each other number, a separator after each, and the fraction.
    return String(unsafeUninitializedCapacity: 20 + digits) { bytes in
      var end = 0
      // In bounds: the widths add up to the capacity.
      func add(_ number: Int, _ width: Int, _ separator: UInt8? = nil) {
        var rest = number
        for index in (end..<end + width).reversed() {
          bytes[index] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
          rest /= 10
        }
        end += width
        if let separator {
          bytes[end] = separator
          end += 1
        }
      }
      add(year, 4, UInt8(ascii: "-"))
      add(month, 2, UInt8(ascii: "-"))
      add(dayOfMonth, 2, UInt8(ascii: " "))
      add(second / 3_600, 2, UInt8(ascii: ":"))
      add(second / 60 % 60, 2, UInt8(ascii: ":"))
      add(second % 60, 2, UInt8(ascii: "."))
      add(fraction, digits)
      return end
    }
  }

  private static func seconds(of text: String) -> Double? {
    var text = text
    return text.withUTF8 { seconds(of: $0) }
  }

  private static func seconds(of bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    // Foundation's formatters, and people, write a `T` and a `Z`, too.
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var result = 0
      for index in range {
        guard 0x30...0x39 ~= bytes[index] else { return nil }
        result = result * 10 + Int(bytes[index] - 0x30)
      }
      return result
    }
    func isOne(of characters: StaticString, at index: Int) -> Bool {
      guard index < bytes.count else { return false }
      for position in 0..<characters.utf8CodeUnitCount where characters.utf8Start[position] == bytes[index] {
        return true
      }
      return false
    }
    guard let year = number(0..<4), isOne(of: "-", at: 4), let month = number(5..<7), 1...12 ~= month,
      isOne(of: "-", at: 7), let day = number(8..<10), 1...daysOfMonth(year, month) ~= day
    else { return nil }
    let days = days(year, month, day)
    if bytes.count == 10 { return Double(days * 86_400) }
    guard isOne(of: " T", at: 10), let hour = number(11..<13), hour < 24, isOne(of: ":", at: 13),
      let minute = number(14..<16), minute < 60
    else { return nil }
    var (second, end) = (0, 16)
    if isOne(of: ":", at: 16) {
      guard let number = number(17..<19), number < 60 else { return nil }
      (second, end) = (number, 19)
    }
    var fraction = 0.0
    if isOne(of: ".", at: end) {
      var (numerator, unit) = (0.0, 1.0)
      end += 1
      let start = end
      while end < bytes.count, 0x30...0x39 ~= bytes[end] {
        numerator = numerator * 10 + Double(bytes[end] - 0x30)
        unit *= 10
        end += 1
      }
      // Both are exact, and it is the division that the writer checked.
      guard 1...15 ~= end - start else { return nil }
      fraction = numerator / unit
    }
    if isOne(of: "Z", at: end) { end += 1 }
    guard end == bytes.count else { return nil }
    return Double(days * 86_400 + hour * 3_600 + minute * 60 + second) + fraction
  }

  private static func daysOfMonth(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days since 2001.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468 - referenceDay
  }
}
