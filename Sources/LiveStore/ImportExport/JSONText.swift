import Foundation

/// A value that writes itself as JSON text, without an encoder.
protocol JSONText: Sendable {
  func write(to bytes: inout [UInt8])
}

extension String: JSONText {
  func write(to bytes: inout [UInt8]) { JSONValue.write(self, to: &bytes) }
}

extension Bool: JSONText {
  func write(to bytes: inout [UInt8]) { bytes.append(contentsOf: (self ? "true" : "false").utf8) }
}

extension FixedWidthInteger {
  /// Appends the number in decimal digits.
  fileprivate func writeDigits(to bytes: inout [UInt8]) {
    if self == 0 {
      bytes.append(UInt8(ascii: "0"))
      return
    }
    if self < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = magnitude
    while rest > 0 {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      bytes.append(UInt8(ascii: "0") + UInt8(digit))
      rest = quotient
    }
    bytes[start...].reverse()
  }
}

extension Int: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension Int8: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension Int16: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension Int32: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension Int64: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension UInt: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension UInt8: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension UInt16: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension UInt32: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }
extension UInt64: JSONText { func write(to bytes: inout [UInt8]) { writeDigits(to: &bytes) } }

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// Appends the shortest text that reads back as the number, or the names that protocol buffers use in JSON.
  fileprivate func writeNumber(to bytes: inout [UInt8]) {
    if isFinite {
      bytes.append(contentsOf: String(self).utf8)
    } else {
      bytes.append(contentsOf: (isNaN ? "\"NaN\"" : self < 0 ? "\"-Infinity\"" : "\"Infinity\"").utf8)
    }
  }
}

extension Double: JSONText { func write(to bytes: inout [UInt8]) { writeNumber(to: &bytes) } }
extension Float: JSONText { func write(to bytes: inout [UInt8]) { writeNumber(to: &bytes) } }

extension Decimal: JSONText {
  func write(to bytes: inout [UInt8]) { bytes.append(contentsOf: (isNaN ? "\"NaN\"" : description).utf8) }
}

extension UUID: JSONText {
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: uuidString.utf8)
    bytes.append(UInt8(ascii: "\""))
  }
}

extension URL: JSONText {
  func write(to bytes: inout [UInt8]) { JSONValue.write(absoluteString, to: &bytes) }
}

extension JSONValue: JSONText {}

extension Optional: JSONText where Wrapped: JSONText {
  func write(to bytes: inout [UInt8]) {
    if let value = self { value.write(to: &bytes) } else { bytes.append(contentsOf: "null".utf8) }
  }
}

extension Array: JSONText where Element: JSONText {
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      element.write(to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

extension Date: JSONText {
  func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    writeTimestamp(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends the time as in RFC 3339, in UTC, to the nanosecond: `2026-11-30T19:00:00.25Z`.
  ///
  /// Years that do not have four digits have a sign and at least six, as ISO 8601 and browsers write them.
  func writeTimestamp(to bytes: inout [UInt8]) {
    // From the first of January 0000 in the Gregorian calendar to that of 2001.
    let daysBeforeReference = 730_851
    let whole = timeIntervalSinceReferenceDate.rounded(.down)
    // Beyond, days are no integers; dates of the calendar end long before.
    guard whole.magnitude < 1e15 else {
      bytes.append(contentsOf: (whole < 0 ? "-Infinity" : whole.isNaN ? "NaN" : "Infinity").utf8)
      return
    }
    var seconds = Int(whole)
    var nanoseconds = Int(((timeIntervalSinceReferenceDate - whole) * 1e9).rounded())
    if nanoseconds == 1_000_000_000 { (seconds, nanoseconds) = (seconds + 1, 0) }
    let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let second = seconds - day * 86_400
    let (year, month, dayOfMonth) = Self.civil(day: day + daysBeforeReference)
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
    if nanoseconds > 0 {
      bytes.append(UInt8(ascii: "."))
      Self.write(nanoseconds, digits: 9, to: &bytes)
      while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
    }
    bytes.append(UInt8(ascii: "Z"))
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
