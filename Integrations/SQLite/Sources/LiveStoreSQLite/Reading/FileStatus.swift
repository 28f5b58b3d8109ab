import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the file system says about a name. That it cannot be looked at now, as on a server that is away, does not say
/// whether there is a file.
enum FileStatus {
  /// The status of the file that a path leads to; nil if there is none.
  ///
  /// - Throws: `ioFailed` if that cannot be found out now.
  static func of(_ path: String) throws(StoreFileError) -> stat? {
    var status = stat()
    return try existing(path, stat(path, &status)) ? status : nil
  }

  /// The status of what has a name, also if that is a symbolic link; nil if nothing has.
  ///
  /// - Throws: `ioFailed` if that cannot be found out now.
  static func ofName(_ path: String) throws(StoreFileError) -> stat? {
    var status = stat()
    return try existing(path, lstat(path, &status)) ? status : nil
  }

  /// The status of an open file.
  ///
  /// - Throws: `ioFailed`, which names a path.
  static func of(_ descriptor: CInt, _ path: String) throws(StoreFileError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    return status
  }

  /// Whether a call succeeded; false if it found no file of the name.
  private static func existing(_ path: String, _ result: CInt) throws(StoreFileError) -> Bool {
    if result == 0 { return true }
    if isMissing() { return false }
    throw unreadable(path)
  }

  /// Whether the last call found no file of the name. Links that lead in a circle lead to none, and none has a name that is
  /// too long.
  static func isMissing() -> Bool { [ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG].contains(errno) }

  /// The error of the last call.
  static func unreadable(_ path: String) -> StoreFileError {
    StoreFileError(.ioFailed, "The file \(path) cannot be read: \(String(cString: strerror(errno))).")
  }
}
