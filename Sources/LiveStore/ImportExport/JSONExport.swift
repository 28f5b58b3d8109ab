import Foundation

/// Writes objects as JSON text, in chunks.
struct JSONExport<Element: Entity & Encodable> {
  private let format: JSONFormat
  private let encoder: JSONEncoder
  private var objects: Results<Element>.Iterator
  private var isFirst = true
  private var isOver = false

  /// - Throws: the error of the results.
  init(_ results: Results<Element>, _ format: JSONFormat, _ encoder: JSONEncoder) throws {
    if let error = results.error { throw error }
    (self.format, self.encoder) = (format, encoder.marked())
    objects = results.makeIterator()
  }

  /// The next part of the text, some 65 KB; nil at the end.
  ///
  /// - Throws: what the encoder throws, and `CancellationError`.
  mutating func next() throws -> Data? {
    if isOver { return nil }
    try Task.checkCancellation()
    var chunk = Data()
    while chunk.count < FileChunks.chunkSize {
      guard let object = objects.next() else {
        isOver = true
        if format == .array { chunk.append(contentsOf: (isFirst ? "[]\n" : "\n]\n").utf8) }
        return chunk.isEmpty ? nil : chunk
      }
      try append(object, to: &chunk)
    }
    return chunk
  }

  private mutating func append(_ object: Element, to chunk: inout Data) throws {
    var text = try encoder.text(of: object)
    switch format {
    case .array: chunk.append(contentsOf: (isFirst ? "[\n" : ",\n").utf8)
    case .lines:
      // Strings have no newlines, so those of a pretty-printing encoder are blanks.
      for index in text.indices where text[index] == 0x0A { text[index] = 0x20 }
    }
    chunk.append(text)
    if format == .lines { chunk.append(0x0A) }
    isFirst = false
  }
}
