import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the file system says about a file: it differs when the file was written or replaced.
///
/// The file is not opened for it: closing it again would end the locks that SQLite has in this process.
struct FileStamp: Equatable {
  /// Which file it is, whatever its name.
  let identity: UInt64
  /// In bytes; no more than can be added and doubled, whatever a file with holes says.
  let size: Int64
  /// When it was written last, in nanoseconds.
  let time: Int64
  let isFolder: Bool
  /// Whether it is neither a folder nor a pipe or a device, of which reading may have no end.
  let isRegular: Bool

  /// Of the file at a path; nil if there is none, or it cannot be looked at.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of the file at a path; nil if there is none.
  ///
  /// - Throws: `ioFailed` if that cannot be found out now.
  static func existing(_ path: String) throws(StoreFileError) -> FileStamp? {
    try FileStatus.of(path).map(FileStamp.init)
  }

  private init(_ status: stat) {
    identity = UInt64(status.st_ino)
    size = min(Int64(status.st_size), 1 << 48)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    time = Int64(changed.tv_sec) &* 1_000_000_000 &+ Int64(changed.tv_nsec)
  }
}
