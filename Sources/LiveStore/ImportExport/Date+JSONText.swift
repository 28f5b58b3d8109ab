import Foundation

extension Date: JSONText {
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    writeTimestamp(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the time as in RFC 3339, in UTC: `2026-11-30T19:00:00.25Z`.
  ///
  /// It has nanoseconds, and where these would be read as another date, as near to 2001, as many digits as it takes.
  /// Years that do not have four digits have a sign and at least six, as ISO 8601 and browsers write them.
  func writeTimestamp(to bytes: inout [UInt8]) {
    let whole = timeIntervalSinceReferenceDate.rounded(.down)
    // Beyond, days are no integers; dates of the calendar end long before.
    guard whole.magnitude < 1e15 else {
      bytes.append(contentsOf: (whole < 0 ? "-Infinity" : whole.isNaN ? "NaN" : "Infinity").utf8)
      return
    }
    var seconds = Int(whole)
    let nanoseconds = Int(((timeIntervalSinceReferenceDate - whole) * 1e9).rounded())
    var fraction: [UInt8] = []
    if nanoseconds == 1_000_000_000 {
      seconds += 1
    } else if nanoseconds > 0 {
      Self.write(nanoseconds, digits: 9, to: &fraction)
      while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    }
    // Farther from 2001, neighbouring dates differ by several nanoseconds.
    if whole.magnitude < 1e7, Self.interval(seconds, fraction) != timeIntervalSinceReferenceDate {
      (seconds, fraction) = (Int(whole), exactFraction)
    }
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = Self.civil(day: day + Self.daysBeforeReference)
    if (0...9_999).contains(year) {
      Self.write(year, digits: 4, to: &bytes)
    } else {
      bytes.append(UInt8(ascii: year < 0 ? "-" : "+"))
      Self.write(Int(year.magnitude), digits: 6, to: &bytes)
    }
    for (separator, number) in [
      ("-" as Unicode.Scalar, month), ("-", dayOfMonth), ("T", second / 3_600), (":", second / 60 % 60),
      (":", second % 60),
    ] {
      bytes.append(UInt8(ascii: separator))
      Self.write(number, digits: 2, to: &bytes)
    }
    if !fraction.isEmpty {
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: fraction)
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The digits behind the point of the seconds, of the shortest decimal that reads back as the date.
  private var exactFraction: [UInt8] {
    let interval = timeIntervalSinceReferenceDate
    // As 12.25, or 1.5e-07.
    let parts = interval.magnitude.description.utf8.split(separator: UInt8(ascii: "e"))
    let numbers = parts[0].split(separator: UInt8(ascii: "."))
    var digits = Array(numbers.dropFirst().joined())
    if parts.count == 2, let exponent = Int(String(decoding: parts[1], as: UTF8.self)), exponent < 0 {
      digits = Array(repeating: UInt8(ascii: "0"), count: -exponent - 1) + numbers.joined()
    }
    return interval < 0 ? Self.complement(digits) : digits
  }

  /// The digits of what is missing to one.
  private static func complement(_ digits: [UInt8]) -> [UInt8] {
    guard let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return digits }
    var result = digits.map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
    for index in last..<result.count { result[index] = UInt8(ascii: "0") }
    result[last] = UInt8(ascii: "9") - digits[last] + UInt8(ascii: "1")
    return result
  }

  /// The time nearest to a number of seconds and a part of one.
  ///
  /// - Parameter fraction: the digits behind the point.
  private static func interval(_ seconds: Int, _ fraction: some Collection<UInt8>) -> Double? {
    let isEmpty = fraction.allSatisfy { $0 == UInt8(ascii: "0") }
    let (whole, digits) =
      seconds >= 0 || isEmpty ? (seconds, Array(fraction)) : (seconds + 1, complement(Array(fraction)))
    let sign = seconds < 0 ? "-" : ""
    return Double("\(sign)\(whole.magnitude).\(isEmpty ? "0" : String(decoding: digits, as: UTF8.self))")
  }

  /// Reads a time as it is written; nil for another text.
  init?(timestamp text: String) {
    switch text {
    case "NaN": self.init(timeIntervalSinceReferenceDate: .nan)
    case "Infinity": self.init(timeIntervalSinceReferenceDate: .infinity)
    case "-Infinity": self.init(timeIntervalSinceReferenceDate: -.infinity)
    default:
      var bytes = Array(text.utf8)[...]
      guard let interval = Self.interval(timestamp: &bytes) else { return nil }
      self.init(timeIntervalSinceReferenceDate: interval)
    }
  }

  private static func interval(timestamp bytes: inout ArraySlice<UInt8>) -> Double? {
    var isNegative = false
    var yearDigits = 4
    if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      bytes.removeFirst()
      yearDigits = bytes.prefix { $0 != UInt8(ascii: "-") }.count
      guard (6...9).contains(yearDigits) else { return nil }
    }
    var numbers: [Int] = []
    for (separator, count) in [
      (nil as Unicode.Scalar?, yearDigits), ("-", 2), ("-", 2), ("T", 2), (":", 2), (":", 2),
    ] {
      if let separator, bytes.popFirst() != UInt8(ascii: separator) { return nil }
      let digits = bytes.prefix(count)
      guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
      numbers.append(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
      bytes = bytes.dropFirst(count)
    }
    var fraction: ArraySlice<UInt8> = []
    if bytes.first == UInt8(ascii: ".") {
      fraction = bytes.dropFirst().prefix(while: Self.isDigit)
      // The smallest double has 1,074 digits.
      guard (1...1_100).contains(fraction.count) else { return nil }
      bytes = bytes.dropFirst(fraction.count + 1)
    }
    guard bytes.elementsEqual([UInt8(ascii: "Z")]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]),
      numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
    else { return nil }
    let year = isNegative ? -numbers[0] : numbers[0]
    let day = Self.day(year: year, month: numbers[1], day: numbers[2])
    guard Self.civil(day: day) == (year, numbers[1], numbers[2]) else { return nil }
    let seconds =
      (day - Self.daysBeforeReference) * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    return Self.interval(seconds, fraction)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// From the first of January 0000 in the Gregorian calendar to that of 2001.
  private static var daysBeforeReference: Int { 730_851 }

  /// The day of a date, counted from the first of January 0000.
  private static func day(year: Int, month: Int, day: Int) -> Int {
    // Years begin in March here.
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5 + day - 1
      + 60
  }

  /// The date of a day, counted from the first of January 0000.
  private static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
    // Years begin in March here, so that the day of the leap year is the last of one.
    let day = day - 60
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  private static func write(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
    let text = String(number)
    for _ in 0..<Swift.max(0, digits - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
    bytes.append(contentsOf: text.utf8)
  }
}
