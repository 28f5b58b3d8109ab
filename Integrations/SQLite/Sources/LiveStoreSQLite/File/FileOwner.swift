import Foundation
import LiveStore
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
  /// What the lock of a file that is complete has in it.
  private static let mark = Array("complete\n".utf8)
  /// What follows where a repaired file has not its name yet: which file that is.
  private static let repair = Array("repaired ".utf8)

  private let file: URL
  private let path: String
  private let descriptor: CInt
  /// Which file the lock is.
  private let place: FilePlace
  private let isHeld = Mutex(true)
  /// Whether there was no file for the lock before.
  let isNew: Bool

  /// - Throws: `inUse`, `ioFailed`.
  init(of file: URL) throws(StoreFileError) {
    (self.file, path) = (file, Self.path(of: file))
    while true {
      let (descriptor, isNew) = try Self.openLock(path)
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        if errno == EINTR { continue }
        let (error, reason) = (errno, String(cString: strerror(errno)))
        close(descriptor)
        guard error == EWOULDBLOCK else {
          throw StoreFileError(.ioFailed, "The file \(path) cannot be locked: \(reason).")
        }
        throw StoreFileError(
          .inUse,
          "The file \(file.path) is open in another process, or twice in this one. A file has one owner that writes; close that first, or open the file with isReadOnly."
        )
      }
      // An owner that removes its file removes this one, too: then the lock is on a file that is not there any more.
      guard let place = FilePlace(of: descriptor), let isCurrent = place.isAt(path) else {
        // Trying again might have no end.
        close(descriptor)
        throw StoreFileError(.ioFailed, "The file \(path) cannot be read. Try again.")
      }
      let isLock: Bool
      do throws(StoreFileError) {
        isLock = try Self.content(descriptor, path) != nil
      } catch {
        close(descriptor)
        throw error
      }
      if isCurrent, isLock {
        (self.descriptor, self.place, self.isNew) = (descriptor, place, isNew)
        matchRights()
        return
      }
      close(descriptor)
      if isCurrent {
        throw StoreFileError(
          .ioFailed,
          "The file \(path) is not one that this library made, and would be overwritten. Give it another name."
        )
      }
    }
  }

  /// Whether the lock of a file that was complete is beside it.
  ///
  /// - Throws: `ioFailed` if that cannot be found out.
  static func isMarked(beside file: URL) throws(StoreFileError) -> Bool {
    try reading(file) { descriptor throws(StoreFileError) in
      let path = path(of: file)
      guard try content(descriptor, path) != nil else { return false }
      return try FileStatus.of(descriptor, path).st_size > 0
    } ?? false
  }

  /// Reads the lock of a file, also one that is held; nil if there is none.
  private static func reading<Result>(
    _ file: URL, _ body: (CInt) throws(StoreFileError) -> Result?
  ) throws(StoreFileError) -> Result? {
    let descriptor = open(path(of: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if FileStatus.isMissing() { return nil }
      throw FileStatus.unreadable(path(of: file))
    }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  private static func openLock(_ path: String) throws(StoreFileError) -> (CInt, isNew: Bool) {
    while true {
      let new = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if new >= 0 { return (new, true) }
      if errno == EEXIST {
        // The mark would be written to what a link leads to, and a pipe would not open until something reads it.
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 { return (descriptor, false) }
        if errno == ENOENT { continue }
        if errno == ELOOP {
          throw StoreFileError(
            .ioFailed, "The file \(path) is a symbolic link, and not one that this library made. Remove it.")
        }
      }
      throw StoreFileError(.ioFailed, "The file \(path) cannot be made: \(String(cString: strerror(errno))).")
    }
  }

  /// Gives the lock to those who may write the file: a process that may open it can hold it.
  private func matchRights() {
    var (lock, status) = (stat(), stat())
    guard fstat(descriptor, &lock) == 0, lock.st_uid == geteuid(), stat(file.path, &status) == 0 else {
      return
    }
    let writing = status.st_mode & 0o022
    var mode = 0o600 | writing | writing << 1
    // What its group may do is meant for that of the file.
    if lock.st_gid != status.st_gid, fchown(descriptor, .max, status.st_gid) != 0 { mode &= ~0o060 }
    if lock.st_mode & 0o777 != mode { fchmod(descriptor, mode) }
  }

  /// Whether the lock has its name still: without it, another owner could have the file. Nil if that cannot be found out.
  var isCurrent: Bool? { place.isAt(path) }

  /// What a lock has behind its mark, or nothing; nil if it is no lock, or has another name.
  ///
  /// - Throws: `ioFailed` if it cannot be looked at.
  private static func content(_ descriptor: CInt, _ path: String) throws(StoreFileError) -> [UInt8]? {
    let status = try FileStatus.of(descriptor, path)
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return nil }
    // The mark, and a line with a number of 64 bits.
    var text = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &text, text.count, 0)
    guard count >= 0 else { throw FileStatus.unreadable(path) }
    if mark.starts(with: text[..<count]) { return [] }
    let rest = Array(text[..<count].dropFirst(mark.count))
    return text.starts(with: mark) && (rest.starts(with: repair) || repair.starts(with: rest)) ? rest : nil
  }

  /// Which file beside a file is its repaired one, which has not the name yet: no other counts, whatever it is called.
  ///
  /// - Throws: `ioFailed` if it cannot be found out.
  static func repairedIdentity(of file: URL) throws(StoreFileError) -> UInt64? {
    try reading(file) { descriptor throws(StoreFileError) in
      try content(descriptor, path(of: file)).flatMap(identity)
    }
  }

  /// The same, for the owner.
  ///
  /// - Throws: `ioFailed` if it cannot be found out. Then the repaired file must not be forgotten.
  func repairedIdentity() throws(StoreFileError) -> UInt64? {
    guard let content = try Self.content(descriptor, path) else {
      throw StoreFileError(.ioFailed, "The file \(path) cannot be read. Try again.")
    }
    return Self.identity(content)
  }

  private static func identity(_ content: [UInt8]) -> UInt64? {
    if content.last != 0x0A { return nil }
    return UInt64(String(decoding: content.dropFirst(repair.count).dropLast(), as: UTF8.self))
  }

  /// Remembers which file is the repaired one.
  ///
  /// - Throws: `ioFailed`.
  func noteRepair(_ repaired: URL) throws(StoreFileError) {
    guard let identity = try FilePlace.number(repaired.path) else {
      throw StoreFileError(.ioFailed, "The file \(repaired.path) is gone.")
    }
    let text = Self.mark + Self.repair + Array("\(identity)\n".utf8)
    // The mark stays whatever fails, and a note that is not whole is none.
    guard pwrite(descriptor, text, text.count, 0) == text.count,
      ftruncate(descriptor, off_t(text.count)) == 0,
      fsync(descriptor) == 0
    else {
      throw StoreFileError(
        .ioFailed, "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// Forgets it: the repaired file has its name.
  func forgetRepair() {
    if (try? Self.content(descriptor, path))?.isEmpty == false,
      ftruncate(descriptor, off_t(Self.mark.count)) == 0
    {
      fsync(descriptor)
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

  /// Removes the file of the lock while it is held.
  func removeLock() { unlink(path) }

  static func path(of file: URL) -> String { file.path + "-owner" }

  /// Whether the file was complete once.
  ///
  /// - Throws: `ioFailed` if that cannot be found out: without it, a file that was cut off would be new.
  var isMarked: Bool {
    get throws(StoreFileError) { try FileStatus.of(descriptor, path).st_size > 0 }
  }

  /// Forgets that there was a complete file, which is gone: the next one is new.
  func unmark() {
    if (try? isMarked) != false, ftruncate(descriptor, 0) == 0 { fsync(descriptor) }
  }

  /// Remembers that the file is complete: when it is found empty later, it has been cut off.
  func mark() {
    matchRights()
    // Without the mark an empty file counts as new.
    if (try? isMarked) != true, pwrite(descriptor, Self.mark, Self.mark.count, 0) == Self.mark.count {
      fsync(descriptor)
    }
  }
}
