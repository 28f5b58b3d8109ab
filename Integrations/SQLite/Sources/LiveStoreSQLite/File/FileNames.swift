import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that make up a database, by their names.
enum FileNames {
  /// What SQLite keeps beside a database, which belongs to that database alone: taken for that of another of the same
  /// name, it would change it.
  static let logs = ["-wal", "-shm", "-journal"]

  /// Removes a database, if there is one, with what SQLite keeps beside it.
  static func removeDatabase(_ url: URL) {
    for suffix in [""] + logs { unlink(url.path + suffix) }
  }

  /// Gives a file another name, so that after a loss of power it is there in all, or another one is that had the name.
  ///
  /// A log that stands beside the name is that of the other file, and would be taken for that of this one: it is removed
  /// before. The caller sees to it that nothing is in it alone.
  /// - Throws: `ioFailed`.
  static func moveDurably(_ path: String, to target: URL) throws(StoreFileError) {
    let folder = target.deletingLastPathComponent().path
    guard sync(path), removeLogs(target.path, folder), rename(path, target.path) == 0, sync(folder) else {
      throw StoreFileError(
        .ioFailed, "The file \(target.path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  private static func removeLogs(_ path: String, _ folder: String) -> Bool {
    var isRemoved = false
    for suffix in logs {
      if unlink(path + suffix) == 0 { isRemoved = true } else if errno != ENOENT { return false }
    }
    return !isRemoved || sync(folder)
  }

  /// Has a file or a folder reach the disk.
  private static func sync(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    #if canImport(Darwin)
      // There, fsync leaves data in the drive's cache. Where the file system has no such call, it is all there is.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
  }
}

extension URL {
  /// The file itself, where the last part of the path or others are symbolic links: SQLite names what it keeps beside a
  /// file by it, and a lock must be the same for all of its names. There need not be such a file.
  var withoutLinks: URL {
    var path = path
    // As many links as systems follow.
    for _ in 0..<40 {
      let name = (path as NSString).lastPathComponent
      let folder = (path as NSString).deletingLastPathComponent
      if let resolved = realpath(folder.isEmpty ? "." : folder, nil) {
        defer { free(resolved) }
        path = (String(cString: resolved) as NSString).appendingPathComponent(name)
      }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path =
        target.hasPrefix("/")
        ? target : ((path as NSString).deletingLastPathComponent as NSString).appendingPathComponent(target)
    }
    return URL(fileURLWithPath: path)
  }
}
