/// Parses the stream of `COPY … TO STDOUT` in text form, which may be cut anywhere: a line for each row, with tabs
/// between the columns, `\N` for null, and backslashes before special characters.
package struct CopyTextParser {
  private let columnCount: Int
  private let table: String
  private var pending: [UInt8] = []
  /// How much of what is pending has no end of a line.
  private var searched = 0

  package init(columnCount: Int, table: String) { (self.columnCount, self.table) = (columnCount, table) }

  package mutating func append(_ bytes: some Sequence<UInt8>) { pending.append(contentsOf: bytes) }

  /// Adds a piece, whose array is used as it is if nothing is left of the piece before.
  mutating func append(_ bytes: [UInt8]) {
    if pending.isEmpty { pending = bytes } else { pending.append(contentsOf: bytes) }
  }

  /// The rows that are whole.
  package mutating func takeRows() throws -> TupleBatch {
    guard let last = pending[searched...].lastIndex(of: UInt8(ascii: "\n")) else {
      searched = pending.count
      return TupleBatch(bytes: [], fields: [], columnCount: columnCount, count: 0)
    }
    var bytes = pending
    pending = Array(bytes[(last + 1)...])
    searched = pending.count
    var fields: [TupleData.Field] = []
    var (count, position) = (0, 0)
    while position <= last {
      try parseLine(&bytes, &position, &fields)
      count += 1
    }
    return TupleBatch(bytes: bytes, fields: fields, columnCount: columnCount, count: count)
  }

  /// Checks that the stream is whole.
  package func finish() throws {
    guard pending.isEmpty else { throw violation("ends within a row") }
  }

  private func violation(_ what: String) -> PostgresError {
    .violation("The copy of table \(table) \(what).", table: table)
  }

  /// Parses a line, of which the end is there. Texts are not longer without escapes, so they stay in place.
  private func parseLine(_ bytes: inout [UInt8], _ position: inout Int, _ fields: inout [TupleData.Field])
    throws
  {
    let firstField = fields.count
    while true {
      let start = position
      var hasEscapes = false
      while bytes[position] != UInt8(ascii: "\t"), bytes[position] != UInt8(ascii: "\n") {
        // A backslash hides what is after it, but for the end of the line, before which there is none.
        if bytes[position] == UInt8(ascii: "\\") {
          hasEscapes = true
          if bytes[position + 1] != UInt8(ascii: "\n") { position += 1 }
        }
        position += 1
      }
      let isLineEnd = bytes[position] == UInt8(ascii: "\n")
      // A table without columns has empty lines.
      if !(columnCount == 0 && isLineEnd && start == position) {
        fields.append(try field(&bytes, start..<position, hasEscapes))
      }
      position += 1
      if isLineEnd { break }
    }
    let count = fields.count - firstField
    if count != columnCount {
      throw violation("has a row of \(count) columns where \(columnCount) were asked for")
    }
  }

  private func field(_ bytes: inout [UInt8], _ range: Range<Int>, _ hasEscapes: Bool) throws
    -> TupleData.Field
  {
    guard hasEscapes else { return TupleData.Field(.text, range) }
    if range.count == 2, bytes[range.lowerBound + 1] == UInt8(ascii: "N") { return .null }
    var (end, position) = (range.lowerBound, range.lowerBound)
    while position < range.upperBound {
      var byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\\") {
        guard position < range.upperBound else { throw violation("has a row that ends with a backslash") }
        byte = Self.escaped(bytes, &position, range.upperBound)
      }
      bytes[end] = byte
      end += 1
    }
    return TupleData.Field(.text, range.lowerBound..<end)
  }

  /// The byte that is written after a backslash as a letter, as up to three octal digits, or as itself.
  private static func escaped(_ bytes: [UInt8], _ position: inout Int, _ end: Int) -> UInt8 {
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "v"): return 0x0B
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var code = Int(byte & 7)
      for _ in 0..<2 {
        guard position < end, 0x30...0x37 ~= bytes[position] else { break }
        code = code * 8 + Int(bytes[position] & 7)
        position += 1
      }
      return UInt8(truncatingIfNeeded: code)
    case UInt8(ascii: "x"):
      guard position < end, let first = bytes[position].hexadecimalDigit else { return byte }
      position += 1
      guard position < end, let second = bytes[position].hexadecimalDigit else { return first }
      position += 1
      return first << 4 | second
    default: return byte
    }
  }
}
