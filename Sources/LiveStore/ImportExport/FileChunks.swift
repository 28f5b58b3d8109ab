import Foundation

/// A file that is read in chunks from front to end.
final class FileChunks {
  /// How many bytes a chunk has at most.
  static let chunkSize = 1 << 16

  /// The length of the file; nil if it is a pipe or a device.
  let totalBytes: Int?
  private let handle: FileHandle

  /// Opens a file.
  ///
  /// - Throws: an error of Foundation's that names the file.
  init(_ url: URL) throws {
    guard url.isFileURL else {
      throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
    }
    handle = try FileHandle(forReadingFrom: url)
    let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
    let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
    totalBytes = isRegular ? (attributes[.size] as? NSNumber)?.intValue : nil
  }

  deinit { try? handle.close() }

  /// The next chunk, or nil at the end.
  func next() throws -> Data? {
    let chunk = try handle.read(upToCount: Self.chunkSize)
    return chunk?.isEmpty == true ? nil : chunk
  }
}
