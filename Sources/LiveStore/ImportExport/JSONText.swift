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
