import LiveStore
import NIOCore

/// A result as one JSON array, in parts, so that no more than a part is in memory as text.
struct SnapshotParts {
  private let result: StreamResult
  private let mark: StreamMark
  private let line: String
  private let suffix: String
  private var bytes: [UInt8]
  /// Where the next row is: the entity, and the position in it.
  private var (entity, position) = (0, 0)
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
    _ result: StreamResult, _ mark: StreamMark, isReset: Bool, prefix: String = "", line: String = "\n",
    suffix: String = ""
  ) {
    (self.result, self.mark, self.line, self.suffix) = (result, mark, line, suffix)
    bytes = Array((prefix + "[").utf8)
    if isReset { bytes += (control(.reset) + ",").utf8 }
    bytes += control(.snapshotStart).utf8
  }

  private func control(_ control: StreamMessage.Control, rowCount: Int? = nil) -> String {
    controlMessage(control, mark.offset.version, mark.offset, rowCount: rowCount)
  }

  /// The next part; nil at the end.
  ///
  /// - Throws: what the encoder of a value throws.
  mutating func next() throws -> ByteBuffer? {
    if isOver { return nil }
    while entity < result.parts.count, bytes.count < Self.bytesInPart {
      let rows = result.parts[entity]
      let end = min(position + Self.rowsAtOnce, rows.count)
      if position < end {
        bytes.append(contentsOf: ("," + line).utf8)
        try rows.writeRows(position..<end, version: mark.offset.version, to: &bytes)
      }
      (entity, position) = end < rows.count ? (entity, end) : (entity + 1, 0)
    }
    if entity == result.parts.count {
      isOver = true
      let end = control(.snapshotEnd, rowCount: result.count)
      bytes += ("," + line + end + "]" + suffix).utf8
    }
    defer { bytes.removeAll(keepingCapacity: true) }
    return ByteBuffer(bytes: bytes)
  }
}
