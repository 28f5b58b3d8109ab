import Foundation

/// A file that is read in chunks from front to end.
final class FileChunks {
  /// How many bytes a chunk has at most.
  static let chunkSize = 1 << 16

  /// The length of the file; nil if it is a pipe or a device.
  let totalBytes: Int?
  private let path: String
  private let handle: FileHandle
  private var buffer = [UInt8](repeating: 0, count: chunkSize)

  /// Opens a file, without waiting for a writer of a pipe.
  ///
  /// - Throws: an error of Foundation's that names the file.
  init(_ url: URL) throws {
    guard url.isFileURL else {
      throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
    }
    path = url.path
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.failure(path) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(path) }
    totalBytes = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
  }

  deinit { try? handle.close() }

  /// Open until this object is released.
  var descriptor: CInt { handle.fileDescriptor }

  /// Whether a read returns at once. A pipe that no process has opened for writing yet is not at its end.
  ///
  /// - Parameter isWaiting: whether to wait until a read would return.
  private func isReadable(isWaiting: Bool) -> Bool {
    if totalBytes != nil { return true }
    var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&file, 1, isWaiting ? -1 : 0) != 0
  }

  /// The next chunk, or nil at the end; waits for either.
  func next() throws -> Data? {
    while true {
      if let chunk = try nextIfReadable() { return chunk.isEmpty ? nil : chunk }
    }
  }

  /// The next chunk, empty at the end; nil if a chunk may arrive later.
  ///
  /// - Parameter isWaiting: whether to wait for the chunk.
  func nextIfReadable(isWaiting: Bool = true) throws -> Data? {
    guard isReadable(isWaiting: isWaiting) else { return nil }
    let count = read(descriptor, &buffer, buffer.count)
    if count >= 0 { return Data(buffer[..<count]) }
    // Another process has read the bytes, or a signal came.
    if errno == EAGAIN || errno == EINTR { return nil }
    throw Self.failure(path)
  }

  /// The error of the last system call, as Foundation's functions throw it.
  private static func failure(_ path: String) -> any Error {
    let error = POSIXError.last()
    let details: [String: Any] = [NSFilePathErrorKey: path, NSUnderlyingErrorKey: error]
    return switch error.code {
    case .ENOENT: CocoaError(.fileReadNoSuchFile, userInfo: details)
    case .EACCES, .EPERM: CocoaError(.fileReadNoPermission, userInfo: details)
    default: CocoaError(.fileReadUnknown, userInfo: details)
    }
  }
}
