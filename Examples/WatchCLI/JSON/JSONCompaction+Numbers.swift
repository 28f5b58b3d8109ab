import LiveStore

extension JSONCompaction {
  /// How many digits a decimal has that is the shortest one of its double: decimals of up to 15 digits are different
  /// doubles.
  private static let exactDigits = 15

  /// Reads a number; one that is not written as it was read is replaced.
  mutating func number() -> Bool {
    let start = index
    if text[index] == UInt8(ascii: "-") { index &+= 1 }
    let whole = digits()
    guard whole > 0 else { return false }
    let isZero = text[index &- whole] == UInt8(ascii: "0")
    if isZero, whole > 1 { return false }
    let isNegativeZero = isZero && whole < index &- start
    var fraction = 0
    if index < count, text[index] == UInt8(ascii: ".") {
      index &+= 1
      fraction = digits()
      guard fraction > 0 else { return false }
    }
    if index < count, text[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      if index < count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") { index &+= 1 }
      guard digits() > 0 else { return false }
      return rewrite(from: start)
    }
    if fraction == 0 { return whole <= 18 && !isNegativeZero || rewrite(from: start) }
    // A double from 0.0001 on is written without an exponent.
    let isSmall = isZero && !(0..<min(4, fraction)).contains { text[index &- fraction &+ $0] != 0x30 }
    if isSmall || whole &+ fraction > Self.exactDigits || text[index &- 1] == UInt8(ascii: "0") {
      return rewrite(from: start)
    }
    return true
  }

  /// Reads digits; how many there are.
  @inline(__always)
  private mutating func digits() -> Int {
    let start = index
    while index < count, text[index] &- 0x30 < 10 { index &+= 1 }
    return index &- start
  }

  /// Replaces the number that was read since a place by the form in which it is written, unless that is longer.
  private mutating func rewrite(from start: Int) -> Bool {
    let read = UnsafeRawBufferPointer(start: text + start, count: index &- start)
    guard let number = JSONNumber(validated: read) else { return false }
    let form = number.description.utf8
    guard form.count <= index &- start else { return false }
    if !form.elementsEqual(read) { replace(from: start, by: form) }
    return true
  }
}
