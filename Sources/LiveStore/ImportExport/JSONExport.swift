import Foundation

/// Writes objects as JSON text, in chunks.
struct JSONExport {
  let format: JSONFormat
  let encoder: JSONEncoder

  /// Passes on the text of some objects.
  ///
  /// - Throws: what the encoder and `receive` throw, the error of the results, and `CancellationError`.
  func write<Element: Entity & Encodable>(
    _ results: Results<Element>, to receive: (Data) throws -> Void
  ) throws {
    if let error = results.error { throw error }
    var (chunk, isFirst) = (Data(), true)
    for object in results {
      var text = try encoder.encode(object)
      switch format {
      case .array: chunk.append(contentsOf: (isFirst ? "[\n" : ",\n").utf8)
      case .lines:
        // Strings have no newlines, so those of a pretty-printing encoder are blanks.
        for index in text.indices where text[index] == 0x0A { text[index] = 0x20 }
      }
      chunk.append(text)
      if format == .lines { chunk.append(0x0A) }
      isFirst = false
      if chunk.count >= FileChunks.chunkSize {
        try Task.checkCancellation()
        try receive(chunk)
        chunk.removeAll(keepingCapacity: true)
      }
    }
    if format == .array { chunk.append(contentsOf: (isFirst ? "[]\n" : "\n]\n").utf8) }
    if !chunk.isEmpty { try receive(chunk) }
  }
}
