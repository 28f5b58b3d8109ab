import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Files whose names others may have chosen, as in a folder that was unpacked or is shared: a name there can be a symbolic
/// link to any file of the user, and none of these follows one.
enum RegularFile {
  /// Whether the path names a file, and not a link, a folder or a device.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && isRegular(status)
  }

  /// Copies the bytes of a file into a new one, which its owner may write, and others no more than the first.
  ///
  /// - Throws: `ioFailed`.
  static func copy(_ source: String, to path: String) throws(StoreFileError) {
    func failure(_ reason: String) -> StoreFileError {
      StoreFileError(.ioFailed, "The file \(source) cannot be copied to \(path): \(reason).")
    }
    // A pipe would not open until something writes to it.
    let input = open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else {
      throw failure(errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno)))
    }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw failure(String(cString: strerror(errno))) }
    guard isRegular(status) else { throw failure("it is no regular file") }
    let output = open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0o666 | 0o600)
    guard output >= 0 else { throw failure(String(cString: strerror(errno))) }
    defer { close(output) }
    guard copyBytes(from: input, to: output) else { throw failure(String(cString: strerror(errno))) }
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  private static func copyBytes(from input: CInt, to output: CInt) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count == 0 { return true }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      var rest = buffer[..<count]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
        if written >= 0 { rest = rest.dropFirst(written) } else if errno != EINTR { return false }
      }
    }
  }
}
