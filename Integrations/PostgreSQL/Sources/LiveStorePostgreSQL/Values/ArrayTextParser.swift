/// Parses the text of an array: `{1,NULL,"a \"quoted\" text"}`, `{{1,2},{3,4}}`, `[0:1]={1,2}`.
///
/// Elements are copied without their quotes and escapes, one after the other.
struct ArrayTextParser {
  private var fields: [TupleData.Field] = []
  private var sizes: [Int] = []
  private var lowerBounds: [Int] = []
  private var bytes: [UInt8] = []

  /// The dimension of the elements, which the first one decides.
  private var elementDepth: Int?
  private var writtenSizes: [Int] = []
  private let delimiter: UInt8
  private var cursor: ByteCursor

  /// The contents of an array and the bytes that they are in; nil if the text is no array.
  static func contents(_ text: UnsafeRawBufferPointer, delimiter: UInt8) -> (
    bytes: [UInt8], contents: ArrayValue.Contents
  )? {
    ArrayTextParser(text, delimiter: delimiter).map { ($0.bytes, ($0.sizes, $0.lowerBounds, $0.fields)) }
  }

  private init?(_ text: UnsafeRawBufferPointer, delimiter: UInt8) {
    self.delimiter = delimiter
    cursor = ByteCursor(text)
    bytes.reserveCapacity(text.count)
    skipSpace()
    guard parseBounds(), parseArray(depth: 0) else { return nil }
    skipSpace()
    guard cursor.isAtEnd else { return nil }
    if fields.isEmpty {
      (sizes, lowerBounds) = ([], [])
    } else if writtenSizes.isEmpty {
      lowerBounds = Array(repeating: 1, count: sizes.count)
    } else if writtenSizes != sizes {
      return nil
    }
  }

  private mutating func skipSpace() {
    while cursor.peek?.isArraySpace == true { _ = cursor.next() }
  }

  /// Parses `[lower:upper]` for each dimension and the `=` after them, if they are there.
  private mutating func parseBounds() -> Bool {
    guard cursor.peek == UInt8(ascii: "[") else { return true }
    while cursor.take("[" as Unicode.Scalar) {
      guard let lower = bound(), cursor.take(":" as Unicode.Scalar), let upper = bound(),
        cursor.take("]" as Unicode.Scalar), upper >= lower, writtenSizes.count < ArrayValue.maximumDimensions
      else { return false }
      lowerBounds.append(lower)
      writtenSizes.append(upper - lower + 1)
    }
    return cursor.take("=" as Unicode.Scalar)
  }

  private mutating func bound() -> Int? {
    let isNegative = cursor.take("-" as Unicode.Scalar)
    return cursor.digits(1...10).map { isNegative ? -$0 : $0 }
  }

  /// Parses an array in braces. All arrays of a dimension have the same size.
  private mutating func parseArray(depth: Int) -> Bool {
    guard depth < ArrayValue.maximumDimensions, cursor.take("{" as Unicode.Scalar) else { return false }
    if sizes.count == depth { sizes.append(-1) }
    var size = 0
    skipSpace()
    if cursor.take("}" as Unicode.Scalar) { return depth == 0 && elementDepth == nil }
    repeat {
      skipSpace()
      if cursor.peek == UInt8(ascii: "{") {
        guard parseArray(depth: depth + 1) else { return false }
      } else {
        guard elementDepth == nil || elementDepth == depth, sizes.count == depth + 1, parseElement() else {
          return false
        }
        elementDepth = depth
      }
      size += 1
      skipSpace()
    } while cursor.take(delimiter)
    guard cursor.take("}" as Unicode.Scalar), sizes[depth] == -1 || sizes[depth] == size else { return false }
    sizes[depth] = size
    return true
  }

  private mutating func parseElement() -> Bool {
    let start = bytes.count
    if cursor.take("\"" as Unicode.Scalar) {
      while let byte = cursor.next() {
        if byte == UInt8(ascii: "\"") {
          fields.append(TupleData.Field(.text, start..<bytes.count))
          return true
        }
        guard append(byte) else { return false }
      }
      return false
    }
    // White space at the end does not count, unless it is escaped.
    var (end, hasEscape) = (start, false)
    while let byte = cursor.peek, byte != delimiter, byte != UInt8(ascii: "}") {
      guard byte != UInt8(ascii: "{"), byte != UInt8(ascii: "\"") else { return false }
      _ = cursor.next()
      let isEscape = byte == UInt8(ascii: "\\")
      guard append(byte) else { return false }
      if isEscape || !byte.isArraySpace { end = bytes.count }
      hasEscape = hasEscape || isEscape
    }
    guard end > start else { return false }
    bytes.removeLast(bytes.count - end)
    if !hasEscape, isNull(bytes[start...]) {
      bytes.removeLast(end - start)
      fields.append(.null)
    } else {
      fields.append(TupleData.Field(.text, start..<end))
    }
    return true
  }

  /// Adds a byte, or the one after it if it is a backslash.
  private mutating func append(_ byte: UInt8) -> Bool {
    guard byte == UInt8(ascii: "\\") else {
      bytes.append(byte)
      return true
    }
    guard let escaped = cursor.next() else { return false }
    bytes.append(escaped)
    return true
  }

  private func isNull(_ bytes: ArraySlice<UInt8>) -> Bool {
    // Without the bit that tells lower case.
    bytes.count == 4 && bytes.map { $0 & 0xDF } == Array("NULL".utf8)
  }
}
