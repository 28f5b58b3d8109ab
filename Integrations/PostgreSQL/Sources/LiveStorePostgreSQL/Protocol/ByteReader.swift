/// Reads the integers and texts of a message from the server, in network byte order.
///
/// Each read checks how many bytes are left first, so a message that is cut off is an error.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int

  /// A reader of part of an array, which must have that part.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "The range is outside the array.")
    (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
  }

  var remaining: Int { end - position }

  mutating func byte() throws -> UInt8 { try integer(UInt8.self) }

  mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let start = try skip(MemoryLayout<Number>.size).lowerBound
    // In bounds: `skip` checked it.
    let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Number.self) }
    return Number(bigEndian: number)
  }

  mutating func position(_ type: LogSequenceNumber.Type = LogSequenceNumber.self) throws -> LogSequenceNumber
  {
    LogSequenceNumber(rawValue: try integer(UInt64.self))
  }

  /// Passes over some bytes.
  ///
  /// - Returns: where they are.
  mutating func skip(_ count: some BinaryInteger) throws -> Range<Int> {
    guard count >= 0, let count = Int(exactly: count), count <= remaining else {
      throw PostgresError.violation("A message of the server ends too early.")
    }
    defer { position += count }
    return position..<position + count
  }

  /// A text that ends with a null character.
  mutating func string() throws -> String {
    let rest = bytes[position..<end]
    guard let terminator = rest.firstIndex(of: 0) else {
      throw PostgresError.violation("A text in a message of the server has no end.")
    }
    guard let text = String(validating: rest[..<terminator], as: UTF8.self) else {
      throw PostgresError.violation("A text in a message of the server is not UTF-8.")
    }
    position = terminator + 1
    return text
  }

  /// Checks that nothing is left.
  func finish() throws {
    if remaining != 0 {
      throw PostgresError.violation("A message of the server has \(remaining) bytes too many.")
    }
  }
}
