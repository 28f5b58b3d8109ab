import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The right to write to a file: a lock on a file beside it, which ends with the process that has it (X7).
///
/// SQLite's own locks last for a transaction. This one is a `flock`, which belongs to an open file: so it also keeps two
/// owners in one process apart, and closing the database does not end it, as it would end a lock by `fcntl`.
final class FileOwner: Sendable {
  private let descriptor: CInt
  private let isHeld = Mutex(true)

  /// - Throws: `inUse`, `ioFailed`.
  init(of file: URL) throws(StoreFileError) {
    let path = Self.path(of: file)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw StoreFileError(.ioFailed, "The file \(path) cannot be made: \(String(cString: strerror(errno))).")
    }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      // `deinit` closes it: everything is initialised.
      throw StoreFileError(
        .inUse,
        "The file \(file.path) is open in another process, or twice in this one. A file has one owner that writes; close that first, or open the file with isReadOnly."
      )
    }
  }

  deinit { release() }

  /// Gives the right up.
  func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if !wasHeld { return }
    // A process that is being started has the open file, too, for a moment: closing it here would not end the lock.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  static func path(of file: URL) -> String { file.path + "-owner" }

  /// Whether the file was complete once.
  var isMarked: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  /// Remembers that the file is complete: when it is found empty later, it has been cut off.
  func mark() {
    let text = Array("complete\n".utf8)
    // Without the mark an empty file counts as new, as before.
    if !isMarked, write(descriptor, text, text.count) == text.count { fsync(descriptor) }
  }

  /// Gives a file another name, so that after a loss of power it is there in all, or another one is that had the name.
  ///
  /// A log that stands beside the name is that of the other file, and would be taken for that of this one: it is removed
  /// before. The caller sees to it that nothing is in it alone.
  /// - Throws: `ioFailed`.
  static func moveDurably(_ path: String, to target: URL) throws(StoreFileError) {
    let folder = target.deletingLastPathComponent().path
    guard sync(path), removeLog(target.path, folder), rename(path, target.path) == 0, sync(folder) else {
      throw StoreFileError(
        .ioFailed, "The file \(target.path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  private static func removeLog(_ path: String, _ folder: String) -> Bool {
    var isRemoved = false
    for suffix in ["-wal", "-shm"] {
      if unlink(path + suffix) == 0 { isRemoved = true } else if errno != ENOENT { return false }
    }
    return !isRemoved || sync(folder)
  }

  /// Has a file or a folder reach the disk.
  private static func sync(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
