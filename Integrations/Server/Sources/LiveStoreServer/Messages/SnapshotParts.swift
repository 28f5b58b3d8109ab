import LiveStore
import NIOCore

/// A result as one JSON array, in parts, so that no more than a part is in memory as text.
struct SnapshotParts<Element: Entity> {
  private let writer: MessageWriter<Element>
  private let results: Results<Element>
  private let mark: StreamMark
  private let line: String
  private let suffix: String
  private var bytes: [UInt8]
  private var position = 0
  private var isOver = false

  /// After as many bytes a part ends.
  private static var bytesInPart: Int { 65_536 }
  private static var rowsAtOnce: Int { 50 }

  /// - Parameters:
  ///   - isReset: whether the client has rows, which these replace.
  ///   - prefix: what stands before the array.
  ///   - line: what stands between two parts, where the array may have a new line.
  ///   - suffix: what stands behind the array.
  init(
    _ writer: MessageWriter<Element>, _ results: Results<Element>, _ mark: StreamMark, isReset: Bool,
    prefix: String = "", line: String = "\n", suffix: String = ""
  ) {
    (self.writer, self.results, self.mark, self.line, self.suffix) = (writer, results, mark, line, suffix)
    bytes = Array(
      (prefix + "[" + writer.snapshotStart(mark.offset.version, mark.offset, isReset: isReset)).utf8)
  }

  /// The next part; nil at the end.
  ///
  /// - Throws: what the encoder of a value throws.
  mutating func next() throws -> ByteBuffer? {
    if isOver { return nil }
    while position < results.count, bytes.count < Self.bytesInPart {
      let end = min(position + Self.rowsAtOnce, results.count)
      bytes.append(contentsOf: ("," + line).utf8)
      try writer.writeRows(position..<end, of: results, version: mark.offset.version, to: &bytes)
      position = end
    }
    if position == results.count {
      isOver = true
      bytes.append(
        contentsOf: ("," + line
          + writer.snapshotEnd(mark.offset.version, mark.offset, rowCount: results.count) + "]" + suffix)
          .utf8)
    }
    defer { bytes.removeAll(keepingCapacity: true) }
    return ByteBuffer(bytes: bytes)
  }
}
