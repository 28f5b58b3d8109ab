import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The journal beside a file. A connection that may write plays it back before all else, and believes what it says.
///
/// Files of this library are in WAL mode: a journal is left when a process ends while it makes one. It never ends with the
/// name of another journal, as those of transactions over several databases do. Of that name SQLite removes any file.
enum RollbackJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Refuses a file whose journal names another one. To be called before each connection that may write.
  ///
  /// - Throws: `damaged`, `ioFailed`.
  static func requireOwn(_ url: URL) throws(StoreFileError) {
    let path = url.path + "-journal"
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw StoreFileError(.ioFailed, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    defer { close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    var last = [UInt8](repeating: 0, count: magic.count)
    guard end >= last.count else { return }
    guard pread(descriptor, &last, last.count, end - off_t(last.count)) == last.count else {
      throw StoreFileError(.ioFailed, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    if last == magic {
      throw StoreFileError(
        .damaged,
        "The file \(url.path) has a journal beside it that names another file, which SQLite would remove. This library makes none such: remove \(path)."
      )
    }
  }
}
