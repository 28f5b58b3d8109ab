import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The journal beside a file. A connection that may write plays it back before all else: it writes the pages that the
/// journal has, cuts the file to the size that it says, and removes the file that it may name as one of a transaction over
/// several databases, whatever file that is.
///
/// Files of this library are in WAL mode from their first page on. So a journal of its own is left only beside a file that
/// has no more than that page, when a process ends while it makes one, and names no other file.
enum RollbackJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let pageSize = 4_096

  /// Whether the process or the power ended while a file was made: its only page, which may be there in part, is none until
  /// the journal of an empty file is played back. Files of other programs that are as small have other pages, or more.
  static func isOfMaking(_ url: URL) -> Bool {
    guard let size = FileStamp(url.path)?.size, size <= pageSize,
      let journal = beginning(of: url.path + "-journal", 20), let header = beginning(of: url.path, 72)
    else { return false }
    // How many pages there were before.
    let isOfEmpty = journal.starts(with: magic) && journal[16..<20].allSatisfy { $0 == 0 }
    let hasOurPages = header[16] == 0x10 && header[17] == 0
    let applicationID = header[68..<72]
    let isOurs =
      hasOurPages && (applicationID.allSatisfy { $0 == 0 } || applicationID.elementsEqual("LSFS".utf8))
    return isOfEmpty && (isOurs || header.allSatisfy { $0 == 0 })
  }

  private static func beginning(of path: String, _ count: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, 0) == count ? bytes : nil
  }

  /// Refuses a file with a journal that this library did not make. To be called before each connection that may write.
  ///
  /// - Throws: `damaged`, `ioFailed`.
  static func requireOwn(_ url: URL) throws(StoreFileError) {
    let path = url.path + "-journal"
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return }
    defer { if descriptor >= 0 { close(descriptor) } }
    var (first, last) = (magic, magic)
    let end = lseek(descriptor, 0, SEEK_END)
    if 0..<off_t(magic.count) ~= end { return }
    guard end >= 0, pread(descriptor, &first, first.count, 0) == first.count,
      pread(descriptor, &last, last.count, end - off_t(last.count)) == last.count
    else {
      throw StoreFileError(.ioFailed, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
    }
    // SQLite ignores one that begins otherwise.
    let size = try FileStamp.existing(url.path)?.size ?? 0
    let isPlayedBack = first == magic && size > pageSize
    if isPlayedBack || last == magic {
      throw StoreFileError(
        .damaged,
        "The file \(url.path) has a journal beside it that is none of this library's. Playing it back would change the file, or remove another. Remove \(path)."
      )
    }
  }
}
