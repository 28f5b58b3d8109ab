/// Parses the stream of `COPY … TO STDOUT (FORMAT binary)`, which may be cut anywhere.
///
///     "PGCOPY\n\377\r\n\0" | int32 flags | int32 length of an extension | extension
///     | { int16 columns | { int32 length, -1 for null | value } … } … | int16 -1
///
/// Pieces are appended and the rows that are whole are taken. Large pieces are best: the rows of one share its bytes.
package struct CopyBinaryParser {
  private let columnCount: Int
  private let table: String
  private var pending: [UInt8] = []
  private var hasHeader = false
  /// Whether the trailer was there.
  package private(set) var isAtEnd = false

  private static let signature: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

  package init(columnCount: Int, table: String) { (self.columnCount, self.table) = (columnCount, table) }

  package mutating func append(_ bytes: some Sequence<UInt8>) { pending.append(contentsOf: bytes) }

  /// Adds a piece, whose array is used as it is if nothing is left of the piece before.
  mutating func append(_ bytes: [UInt8]) {
    if pending.isEmpty { pending = bytes } else { pending.append(contentsOf: bytes) }
  }

  /// The rows that are whole.
  package mutating func takeRows() throws -> TupleBatch {
    var start = 0
    if !hasHeader {
      guard let end = try header() else {
        return TupleBatch(bytes: [], fields: [], columnCount: columnCount, count: 0)
      }
      (hasHeader, start) = (true, end)
    }
    if isAtEnd, !pending.isEmpty { throw violation("has bytes after its end") }
    var fields: [TupleData.Field] = []
    let (count, end) = try rows(from: start, &fields)
    // A row of many pieces is not copied for each.
    if end == 0 { return TupleBatch(bytes: [], fields: [], columnCount: columnCount, count: 0) }
    let bytes = pending
    pending = Array(bytes[end...])
    if isAtEnd, !pending.isEmpty { throw violation("has bytes after its end") }
    return TupleBatch(bytes: bytes, fields: fields, columnCount: columnCount, count: count)
  }

  /// Checks that the stream is whole.
  package func finish() throws {
    guard isAtEnd, pending.isEmpty else { throw violation("ends too early") }
  }

  private func violation(_ what: String) -> PostgresError {
    .violation("The copy of table \(table) \(what).", table: table)
  }

  /// Where the rows begin; nil if that is not there yet.
  private func header() throws -> Int? {
    let known = min(pending.count, Self.signature.count)
    guard pending[..<known] == Self.signature[..<known] else { throw violation("is not in binary form") }
    var reader = ByteReader(pending, known..<pending.count)
    guard reader.remaining >= 8 else { return nil }
    let flags = try reader.integer(UInt32.self)
    // The upper half are flags that must be understood. Object ids, which one announces, are no more.
    guard flags & 0xFFFF_0000 == 0 else { throw violation("has the unknown flags \(flags)") }
    let length = try reader.integer(Int32.self)
    guard length >= 0 else { throw violation("has a header of \(length) bytes") }
    return reader.remaining >= length ? try reader.skip(length).upperBound : nil
  }

  /// Parses rows as far as they are whole.
  ///
  /// - Returns: their number, and where what is left begins.
  private mutating func rows(from start: Int, _ fields: inout [TupleData.Field]) throws -> (
    count: Int, end: Int
  ) {
    let columnCount = columnCount
    enum Outcome { case cut, trailer, columns(Int), length(Int32) }
    // A row has two bytes at least, and mostly has about ten for each column.
    fields.reserveCapacity(min(pending.count / 10, 1 << 16) + columnCount)
    let result = pending.withUnsafeBytes { bytes in
      // In bounds: what is left is checked before each read.
      var (position, end, count) = (start, start, 0)
      while true {
        guard bytes.count - position >= 2 else { return (end, count, Outcome.cut) }
        let columns = Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int16.self))
        position += 2
        if columns == -1 { return (position, count, .trailer) }
        if columns != columnCount { return (end, count, .columns(Int(columns))) }
        for _ in 0..<columnCount {
          guard bytes.count - position >= 4 else { return (end, count, .cut) }
          let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int32.self))
          position += 4
          if length < 0 {
            if length != -1 { return (end, count, .length(length)) }
            fields.append(.null)
          } else {
            guard bytes.count - position >= length else { return (end, count, .cut) }
            fields.append(TupleData.Field(.binary, position..<position + Int(length)))
            position += Int(length)
          }
        }
        count += 1
        end = position
      }
    }
    switch result.2 {
    case .cut: break
    case .trailer: isAtEnd = true
    case .columns(let columns):
      throw violation("has a row of \(columns) columns where \(columnCount) were asked for")
    case .length(let length): throw violation("has a value of \(length) bytes")
    }
    // Without the fields of a row that is cut.
    fields.removeLast(fields.count - result.1 * columnCount)
    return (result.1, result.0)
  }
}
