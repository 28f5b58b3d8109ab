import Foundation

/// Data that is cut into chunks.
struct DataChunks {
  private var rest: Data

  init(_ data: Data) { rest = data }

  /// The next chunk, or nil at the end.
  mutating func next() -> Data? {
    if rest.isEmpty { return nil }
    defer { rest = rest.dropFirst(FileChunks.chunkSize) }
    return rest.prefix(FileChunks.chunkSize)
  }
}
