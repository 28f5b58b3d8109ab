/// Reads the text of a value byte by byte.
///
/// It points into the memory of an array, and is valid as long as the closure that gave it the memory.
struct ByteCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// The next byte, which stays the next.
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// Passes over a byte, if it is the next.
  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool { take(UInt8(ascii: character)) }

  /// Passes over a text, if it is next.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  /// A number of so many decimal digits, at most 18.
  mutating func digits(_ counts: ClosedRange<Int>) -> Int? {
    var (number, count) = (0, 0)
    while count < min(counts.upperBound, 18), let digit = peek?.decimalDigit {
      number = number * 10 + Int(digit)
      position += 1
      count += 1
    }
    return count >= counts.lowerBound ? number : nil
  }
}

extension UInt8 {
  /// The value of a decimal digit.
  var decimalDigit: UInt8? { 0x30...0x39 ~= self ? self & 0x0F : nil }

  /// The value of a hexadecimal digit.
  var hexadecimalDigit: UInt8? {
    switch self {
    case 0x30...0x39: self & 0x0F
    case 0x41...0x46, 0x61...0x66: (self & 0x0F) + 9
    default: nil
    }
  }
}
