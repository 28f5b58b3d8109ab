import Foundation

/// A file that is read in the background.
actor BackgroundFile {
  nonisolated let totalBytes: Int?
  private let chunks: FileChunks

  init(_ url: URL) throws {
    chunks = try FileChunks(url)
    totalBytes = chunks.totalBytes
  }

  /// The next chunk, or nil at the end.
  func next() throws -> Data? { try chunks.next() }
}
