/// Decodes the pieces of a table's copy.
///
/// Sendable without a check, as one task at a time uses it: each piece is waited for before the next is appended.
final class StagedCopy: @unchecked Sendable {
  private let reader: any RowReader
  private let isBinary: Bool
  private var binary: CopyBinaryParser
  private var text: CopyTextParser

  init(_ reader: any RowReader, _ table: PublishedTable, isBinary: Bool) {
    (self.reader, self.isBinary) = (reader, isBinary)
    binary = CopyBinaryParser(columnCount: table.columns.count, table: "\(table.name)")
    text = CopyTextParser(columnCount: table.columns.count, table: "\(table.name)")
  }

  /// Decodes a piece.
  ///
  /// - Returns: how many rows there are so far.
  func append(_ bytes: [UInt8]) throws -> Int {
    if isBinary { binary.append(bytes) } else { text.append(bytes) }
    try reader.stage(isBinary ? binary.takeRows() : text.takeRows())
    return reader.stagedCount
  }

  /// Checks that all was read.
  ///
  /// - Returns: how many rows there are.
  func finish() throws -> Int {
    if isBinary { try binary.finish() } else { try text.finish() }
    return reader.stagedCount
  }
}
