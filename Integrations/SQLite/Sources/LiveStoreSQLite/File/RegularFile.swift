import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `open(2)`, whose name this type has itself.
private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt { open(path, flags, mode) }

/// `write(2)`, likewise.
private func systemWrite(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}

/// Files whose names others may have chosen, as in a folder that was unpacked or is shared: a name there can be a symbolic
/// link to any file of the user, and none of these follows one.
enum RegularFile {
  /// Checks that what SQLite writes to beside a file has no other name: a log can be a hard link to any file of the user.
  ///
  /// - Throws: `ioFailed`.
  static func requireOwnLogs(_ url: URL) throws(StoreFileError) {
    for suffix in FileNames.logs {
      let path = url.path + suffix
      guard let status = try FileStatus.ofName(path), !isRegular(status) || status.st_nlink != 1 else {
        continue
      }
      throw StoreFileError(
        .ioFailed, "\(path) is no log of this file: it is a link, has another name, or is no file. Remove it."
      )
    }
  }

  /// Checks that a file has no other name: under that it has a log and a lock of its own.
  ///
  /// - Throws: `ioFailed`.
  static func requireOneName(_ url: URL) throws(StoreFileError) {
    guard let status = try FileStatus.ofName(url.path), isRegular(status), status.st_nlink > 1 else { return }
    throw StoreFileError(
      .ioFailed,
      "The file \(url.path) has a second name, a hard link. What is written under one would be lost under the other. Remove one, or make a copy."
    )
  }

  /// Checks that a file is one of a store, or that there is none: what is removed or replaced may have been named by
  /// mistake.
  ///
  /// It is one if it is empty, or a database with the mark of this library, or if the lock of a file that was complete or a
  /// repaired file is beside it: then it may be damaged.
  /// - Throws: `notAStoreFile`; `ioFailed` if that cannot be found out.
  static func requireStoreFile(_ url: URL) throws(StoreFileError) {
    guard let status = try FileStatus.ofName(url.path) else { return }
    if isRegular(status) {
      if status.st_size == 0 { return }
      if try FileOwner.isMarked(beside: url) { return }
      if try FileRepair.isRepaired(url) { return }
      // By SQLite: closing the file here would end the locks that it has in this process.
      do {
        return try ReadConnection(url).read(url) { db in try FileContents.requireOwnOrEmpty(db) }
      } catch let error as StoreFileError where error.code == .ioFailed {
        // It may be one of a store.
        throw error
      } catch {}
    }
    throw StoreFileError(
      .notAStoreFile,
      "\(url.path) is no file of a store, and is left as it is. Name another file, or delete it yourself if it is one that was damaged."
    )
  }

  /// Opens a file for reading.
  ///
  /// - Throws: `ioFailed`.
  private static func open(_ path: String) throws(StoreFileError) -> CInt {
    func failure(_ reason: String) -> StoreFileError {
      StoreFileError(.ioFailed, "The file \(path) cannot be read: \(reason).")
    }
    // A pipe would not open until something writes to it.
    let descriptor = systemOpen(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw failure(errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno)))
    }
    let status: stat
    do throws(StoreFileError) {
      status = try FileStatus.of(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    guard isRegular(status) else {
      close(descriptor)
      throw failure("it is no regular file")
    }
    return descriptor
  }

  /// Copies the bytes of a file into a new one, which its owner may write, and others no more than the first.
  ///
  /// - Parameters:
  ///   - isNew: as for ``make(_:like:isNew:)``.
  ///   - shouldContinue: called with how many bytes have been copied; returns false to stop.
  /// - Throws: `ioFailed`.
  static func copy(
    _ source: String, to path: String, isNew: Bool = false, _ shouldContinue: (Int) -> Bool = { _ in true }
  ) throws(StoreFileError) {
    let input = try open(source)
    defer { close(input) }
    let output = try make(path, like: [source], isNew: isNew)
    defer { close(output) }
    guard copyBytes(from: input, to: output, shouldContinue) else {
      throw StoreFileError(
        .ioFailed, "The file \(source) cannot be copied to \(path): \(String(cString: strerror(errno))).")
    }
  }

  /// Makes an empty file, which its owner may write, and others no more than those of some other files that there are. It
  /// has the group of the first, if the process may give it that. If that is gone, no other user may read the new one.
  ///
  /// - Parameter isNew: whether it is no other form of a file that there was: then others may do no more than with any file
  ///   that the process makes.
  /// - Returns: the file, open for writing.
  /// - Throws: `ioFailed`, also if there is a file of the name.
  static func make(_ path: String, like others: [String], isNew: Bool = false) throws(StoreFileError) -> CInt
  {
    var mode: mode_t = 0o666
    var groups: [gid_t] = []
    for (index, other) in others.enumerated() {
      guard let status = try FileStatus.of(other) else {
        if index == 0 { mode = 0o600 }
        continue
      }
      mode &= status.st_mode | 0o600
      groups.append(status.st_gid)
    }
    func create(_ mode: mode_t) throws(StoreFileError) -> CInt {
      let descriptor = systemOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 { return descriptor }
      throw StoreFileError(.ioFailed, "The file \(path) cannot be made: \(String(cString: strerror(errno))).")
    }
    if isNew, !groups.isEmpty {
      // A file that is made tells what the mask of the process leaves, which cannot be asked for without changing it. Others
      // may have opened this one, so it is not used.
      let probe = try create(mode)
      var made = stat()
      mode &= fstat(probe, &made) == 0 ? made.st_mode | 0o600 : 0o600
      close(probe)
      unlink(path)
    }
    // Until it has its group, no other user can open it.
    let descriptor = try create(groups.isEmpty ? mode : 0o600)
    guard let group = groups.first else { return descriptor }
    var made = stat()
    let hasGroup =
      fstat(descriptor, &made) == 0
      && (made.st_gid == group || fchown(descriptor, .max, group) == 0) && groups.allSatisfy { $0 == group }
    // What a group may do is meant for its members, who are among all others elsewhere.
    if !hasGroup { mode = mode & 0o600 | mode & mode >> 3 & 0o007 }
    fchmod(descriptor, mode)
    return descriptor
  }

  /// Writes bytes to an open file.
  ///
  /// - Throws: `ioFailed`, which names the file that it is to be.
  static func write(_ bytes: [UInt8], to descriptor: CInt, _ url: URL) throws(StoreFileError) {
    if write(bytes[...], to: descriptor) { return }
    throw StoreFileError(
      .ioFailed, "The file \(url.path) cannot be written: \(String(cString: strerror(errno))).")
  }

  /// Reads a file in pieces, and calls a closure with each of its lines.
  ///
  /// - Throws: `ioFailed`; `CancellationError`; what the closure throws.
  static func forEachLine(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var rest: [UInt8] = []
    while true {
      try Task.checkCancellation()
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw StoreFileError(
          .ioFailed, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
      }
      if count == 0 { return try body(rest[...]) }
      var piece = buffer[..<count]
      while let end = piece.firstIndex(of: 0x0A) {
        rest += piece[..<end]
        try body(rest[...])
        rest.removeAll(keepingCapacity: true)
        piece = piece[(end + 1)...]
      }
      rest += piece
    }
  }

  private static func isRegular(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFREG }

  private static func copyBytes(from input: CInt, to output: CInt, _ shouldContinue: (Int) -> Bool) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var copied = 0
    while shouldContinue(copied) {
      let count = read(input, &buffer, buffer.count)
      if count == 0 { return true }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      if !write(buffer[..<count], to: output) { return false }
      copied += count
    }
    return true
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if written == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }
}
